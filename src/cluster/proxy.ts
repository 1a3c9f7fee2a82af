import { BlockList, isIP } from 'node:net';
import type { Environment } from './kubeconfig-source.ts';

/**
 * The proxy for an address by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, read as kubectl reads them: lower case too, never for this machine itself,
 * NO_PROXY as domains, addresses, CIDR blocks, with a port, or `*`. Source: golang.org/x/net/http/httpproxy.
 *
 * @returns the proxy's address, or null to connect directly
 */
export function proxyFor(address: URL, env: Environment): string | null {
  const read = (name: string) => env[name] ?? env[name.toLowerCase()] ?? '';
  const proxy = read(address.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (proxy === '' || bypasses(address, read('NO_PROXY'))) return null;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

function bypasses(address: URL, noProxy: string): boolean {
  const host = address.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = address.port || (address.protocol === 'https:' ? '443' : '80');
  if (host === 'localhost' || host === '::1' || /^127\./.test(host)) return true;
  return noProxy
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .some((entry) => entry !== '' && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return inBlock(entry, host);
  const parts = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry);
  const bare = isIP(entry) === 0 ? (parts?.[1] ?? entry) : entry;
  const wantedPort = isIP(entry) === 0 ? parts?.[2] : undefined;
  if (wantedPort !== undefined && wantedPort !== port) return false;
  if (isIP(bare) !== 0 || isIP(host) !== 0) return bare === host;
  const domain = bare.replace(/^\*/, '');
  return domain.startsWith('.') ? host.endsWith(domain) : host === domain || host.endsWith(`.${domain}`);
}

function inBlock(entry: string, host: string): boolean {
  const [network = '', bits = ''] = entry.split('/');
  const family = isIP(network);
  if (family === 0 || isIP(host) !== family || !/^\d+$/.test(bits)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const block = new BlockList();
  block.addSubnet(network, Number(bits), type);
  return block.check(host, type);
}

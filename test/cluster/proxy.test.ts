import assert from 'node:assert/strict';
import { it } from 'node:test';
import { proxyFor } from '../../src/cluster/proxy.ts';

const PROXY = 'http://proxy.example:3128';

for (const [address, env, expected] of [
  ['https://kube.example', {}, null],
  ['https://kube.example', { HTTPS_PROXY: PROXY }, PROXY],
  ['https://kube.example', { https_proxy: PROXY }, PROXY],
  ['https://kube.example', { HTTPS_PROXY: 'proxy.example:3128' }, PROXY],
  ['https://kube.example', { HTTP_PROXY: PROXY }, null],
  ['http://kube.example', { HTTP_PROXY: PROXY }, PROXY],
  ['https://localhost:6443', { HTTPS_PROXY: PROXY }, null],
  ['https://127.0.0.1:6443', { HTTPS_PROXY: PROXY }, null],
  ['https://[::1]:6443', { HTTPS_PROXY: PROXY }, null],
  ['https://kube.example', { HTTPS_PROXY: PROXY, NO_PROXY: '*' }, null],
  ['https://kube.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'kube.example' }, null],
  ['https://a.kube.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'kube.example' }, null],
  ['https://a.kube.example', { HTTPS_PROXY: PROXY, NO_PROXY: '.kube.example' }, null],
  ['https://kube.example', { HTTPS_PROXY: PROXY, NO_PROXY: '.kube.example' }, PROXY],
  ['https://notkube.example', { HTTPS_PROXY: PROXY, NO_PROXY: 'kube.example' }, PROXY],
  ['https://kube.example:6443', { HTTPS_PROXY: PROXY, NO_PROXY: 'kube.example:6443' }, null],
  ['https://kube.example:6443', { HTTPS_PROXY: PROXY, NO_PROXY: 'kube.example:443' }, PROXY],
  ['https://10.1.2.3', { HTTPS_PROXY: PROXY, NO_PROXY: 'other, 10.0.0.0/8' }, null],
  ['https://10.1.2.3', { HTTPS_PROXY: PROXY, NO_PROXY: '10.1.2.3' }, null],
  ['https://11.1.2.3', { HTTPS_PROXY: PROXY, no_proxy: '10.0.0.0/8' }, PROXY],
  ['https://[fd00::1]', { HTTPS_PROXY: PROXY, NO_PROXY: 'fd00::/8' }, null],
  ['https://11.1.2.3', { HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/99,nonsense/x' }, PROXY],
] as const) {
  it(`${address} with ${JSON.stringify(env)}`, () => assert.equal(proxyFor(new URL(address), env), expected));
}

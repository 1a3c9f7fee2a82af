import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Cost, timed } from './process.ts';
import { gateCommand, HELM, helmCommand, kubectlCommand } from './programs.ts';

/** How long a peer waits before it gives up; the gate ends by itself. */
const TIMEOUT = '60s';

/** How a deploy ended, and the files that it left for whoever looks for the reason. */
export interface Deployed extends Cost {
  readonly files: readonly string[];
}

/** One way to deploy a manifest, and to take it back if it does not become ready. */
export interface Tool {
  readonly name: string;
  /** Deploys, and leaves what fails. */
  readonly deploy: (manifest: string, namespace: string) => Promise<Deployed>;
  readonly deployOrRollBack: (manifest: string, namespace: string) => Promise<Deployed>;
}

/** The workloads of every story, in the order of the manifest. */
export const WORKLOADS = ['api', 'web'] as const;

export function toolsToCompare(): readonly Tool[] {
  return [GATE, ...(HELM === '' ? [] : [HELM_4]), KUBECTL];
}

const GATE: Tool = {
  name: 'Rollout Gate, `on-stall: rollback`',
  deploy: async (manifest) => done(await gateCommand(manifest, { 'stable-for': '1s' })),
  deployOrRollBack: async (manifest) =>
    done(await gateCommand(manifest, { 'stable-for': '1s', 'on-stall': 'rollback' })),
};

const HELM_4: Tool = {
  name: '`helm upgrade --rollback-on-failure`',
  deploy: async (manifest, namespace) => done(await helmCommand(manifest, namespace, TIMEOUT)),
  deployOrRollBack: async (manifest, namespace) => {
    const command = await helmCommand(manifest, namespace, TIMEOUT);
    return done({ ...command, command: [...command.command, '--rollback-on-failure'] });
  },
};

const KUBECTL: Tool = {
  name: '`kubectl rollout undo`',
  deploy: async (manifest, namespace) => done(await script(manifest, namespace, 'exit 1')),
  deployOrRollBack: async (manifest, namespace) => {
    const undo = WORKLOADS.map((name) => `kubectl rollout undo deployment/${name} -n ${namespace}`);
    const wait = WORKLOADS.map((name) => status(name, namespace));
    return done(await script(manifest, namespace, `${[...undo, ...wait].join('; ')}; exit 1`));
  },
};

/** What people write into their workflows: apply, wait for each, and if one does not come, `otherwise`. */
async function script(manifest: string, namespace: string, otherwise: string) {
  const command = await kubectlCommand(manifest, namespace);
  const waits = WORKLOADS.map((name) => status(name, namespace)).join(' && ');
  return { ...command, command: ['bash', '-c', `kubectl apply -f m.yaml && ${waits} || { ${otherwise}; }`] };
}

function status(name: string, namespace: string): string {
  return `kubectl rollout status deployment/${name} -n ${namespace} --timeout=${TIMEOUT}`;
}

async function done(command: Parameters<typeof timed>[0]): Promise<Deployed> {
  const before = new Set(await filesIn(command.folder));
  const cost = await timed(command);
  return { ...cost, files: (await filesIn(command.folder)).filter((file) => !before.has(file)) };
}

/** By name, without caches. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = all.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  return files.map((file) => path.relative(folder, file)).filter((file) => !file.startsWith('.'));
}

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Command, type Cost, timed } from './process.ts';
import { gateCommand, HELM, helmCommand, kubectlCommand } from './programs.ts';

/** How long a peer waits before it gives up; the gate ends by itself. */
const TIMEOUT = '60s';

/** How a deploy ended, and the files that it left for whoever looks for the reason. */
export interface Deployed extends Cost {
  readonly files: readonly string[];
}

/** Makes the command that deploys a manifest with these workloads (`kind/name`). */
type Deploy = (manifest: string, namespace: string, workloads: readonly string[]) => Promise<Command>;

/** One way to deploy, and to take back what does not become ready. */
export interface Tool {
  readonly name: string;
  /** Leaves what fails. */
  readonly deploy: Deploy;
  readonly deployOrRollBack: Deploy;
}

export function toolsToCompare(): readonly Tool[] {
  return [GATE, ...(HELM === '' ? [] : [HELM_4]), KUBECTL];
}

const GATE: Tool = {
  name: 'Rollout Gate, `on-stall: rollback`',
  deploy: (manifest) => gateCommand(manifest, { 'stable-for': '1s' }),
  deployOrRollBack: (manifest) =>
    gateCommand(manifest, { 'stable-for': '1s', 'on-stall': 'rollback', 'unstick-statefulsets': 'true' }),
};

const HELM_4: Tool = {
  name: '`helm upgrade --rollback-on-failure`',
  deploy: (manifest, namespace) => helmCommand(manifest, namespace, TIMEOUT),
  deployOrRollBack: async (manifest, namespace) => {
    const command = await helmCommand(manifest, namespace, TIMEOUT);
    return { ...command, command: [...command.command, '--rollback-on-failure'] };
  },
};

const KUBECTL: Tool = {
  name: '`kubectl rollout undo`',
  deploy: (manifest, namespace, workloads) => script(manifest, namespace, workloads, 'exit 1'),
  deployOrRollBack: (manifest, namespace, workloads) => {
    const undo = workloads.map((workload) => `kubectl rollout undo ${workload} -n ${namespace}`);
    const wait = workloads.map((workload) => status(workload, namespace));
    return script(manifest, namespace, workloads, `${[...undo, ...wait].join('; ')}; exit 1`);
  },
};

/** What people write into their workflows: apply, wait for each, and if one does not come, `otherwise`. */
async function script(manifest: string, namespace: string, workloads: readonly string[], otherwise: string) {
  const command = await kubectlCommand(manifest, namespace);
  const waits = workloads.map((workload) => status(workload, namespace)).join(' && ');
  return { ...command, command: ['bash', '-c', `kubectl apply -f m.yaml && ${waits} || { ${otherwise}; }`] };
}

function status(workload: string, namespace: string): string {
  return `kubectl rollout status ${workload} -n ${namespace} --timeout=${TIMEOUT}`;
}

/** The command, killed after so many seconds as a runner that is lost. */
export function killedAfter(seconds: number, command: Command): Command {
  return { ...command, command: ['timeout', '--signal=KILL', `${seconds}`, ...command.command] };
}

export async function done(command: Command): Promise<Deployed> {
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

import { isStartError } from './container-config.ts';
import { DEPTH } from './depth.ts';
import { describeExit, type ExitRecord, exitRecord, lastLines } from './exits.ts';
import type { RawFinding } from './finding.ts';
import { after, NEVER } from './ripeness.ts';
import { type ContainerScene, containerTitle, type Family, fieldOf, type Scene } from './scene.ts';

/** Reasons that the runtimes give when a process could not be started at all. */
const START_REASONS: ReadonlySet<string> = new Set([
  'RunContainerError',
  'StartError',
  'ContainerCannotRun',
  'CreateContainerError',
]);

/** The shell's codes for a command that is not executable, and for one that was not found (POSIX, 2.8.2). */
const SHELL_CODES: ReadonlySet<number> = new Set([126, 127]);

type StartFailure =
  | { readonly kind: 'platform'; readonly message: string }
  | { readonly kind: 'command'; readonly message: string }
  /** The runtime stumbled for a reason that says nothing of the command: it may succeed next time. */
  | { readonly kind: 'runtime'; readonly message: string };

/** A container whose process could not be started: wrong command, no permission, or a program for another platform. */
export const start: Family = (scene) =>
  scene.containers.flatMap((container) => {
    const record = exitRecord(container, scene);
    const failure = startFailure(container, record, scene);
    if (failure === null || container.status?.state?.running !== undefined) return [];
    return [
      failure.kind === 'platform'
        ? wrongPlatform(container, record, failure, scene)
        : notStarted(container, record, failure, scene),
    ];
  });

/** What kept the process from starting, from the runtime's own words first; null if it did start. */
export function startFailure(container: ContainerScene, record: ExitRecord | null, scene: Scene): StartFailure | null {
  const waiting = container.status?.state?.waiting;
  const reasons = [waiting, record?.last].filter((each) => each !== undefined);
  const said = reasons.find((each) => START_REASONS.has(each.reason ?? ''));
  const message = said?.message ?? '';
  if (/exec format error/i.test(message)) return { kind: 'platform', message };
  if (said !== undefined && isStartError(message)) return { kind: 'command', message };
  if (said?.reason === 'CreateContainerError') return null;
  if (said !== undefined) return { kind: 'runtime', message };
  if (record === null) return null;
  if (record.last.exitCode === 0) return null;
  const lines = lastLines(container, scene) ?? [];
  const format = lines.slice(-5).find((line) => /exec format error|cannot execute binary file/i.test(line));
  if (format !== undefined) return { kind: 'platform', message: format };
  if (!SHELL_CODES.has(record.last.exitCode)) return null;
  const line = lines.at(-1) ?? '';
  return { kind: 'command', message: line === '' ? describeExit(record.last) : line };
}

/** A start that failed while it waits is not among the ends yet. */
function times(container: ContainerScene, record: ExitRecord | null): number {
  const waiting = START_REASONS.has(container.status?.state?.waiting?.reason ?? '')
    ? (container.status?.restartCount ?? 0) + 1
    : 1;
  return Math.max(waiting, record?.total ?? 1);
}

function wrongPlatform(
  container: ContainerScene,
  record: ExitRecord | null,
  failure: StartFailure,
  scene: Scene,
): RawFinding {
  const image = container.spec.image ?? '';
  return {
    ...base(container, failure),
    code: 'ImagePlatformMismatch',
    certainty: 'certain',
    summary: `The program in the image "${image}" of ${containerTitle(container)} was not built for the node's platform: ${lastClause(failure.message)}`,
    remedy: {
      text: `Build "${image}" for the platform of the nodes (docker buildx build --platform …), or select nodes of its platform.`,
      path: fieldOf(container, 'image'),
      value: null,
    },
    ripeness: after(record?.since ?? scene.now, 0, times(container, record), 2),
  };
}

function notStarted(
  container: ContainerScene,
  record: ExitRecord | null,
  failure: StartFailure,
  scene: Scene,
): RawFinding {
  const field = container.spec.command !== undefined ? 'command' : container.spec.args !== undefined ? 'args' : 'image';
  const flaky = failure.kind === 'runtime';
  return {
    ...base(container, failure),
    code: 'StartFailed',
    certainty: flaky ? 'waiting' : 'certain',
    summary: `The ${containerTitle(container)} cannot be started: ${lastClause(failure.message)}`,
    remedy: misplaced(container, failure.message) ?? {
      text: remedyText(container, field),
      path: fieldOf(container, field),
      value: null,
    },
    ripeness: flaky ? NEVER : after(record?.since ?? scene.now, 0, times(container, record), 2),
  };
}

function remedyText(container: ContainerScene, field: 'command' | 'args' | 'image'): string {
  const command = [...(container.spec.command ?? []), ...(container.spec.args ?? [])].join(' ');
  if (field === 'image') return "Correct the image's entrypoint, or name a command that the image has.";
  return `Correct ${field} ("${command.slice(0, 120)}"): the image must have that program, and it must be executable.`;
}

/** The command may be right, and what it is started with is not: its directory, or what is mounted for it. */
function misplaced(container: ContainerScene, message: string): RawFinding['remedy'] | null {
  const mount = failedMount(message);
  if (mount !== null) {
    const index = container.spec.volumeMounts?.findIndex((each) => each.mountPath === mount.path) ?? -1;
    return {
      text: `Mount a directory on a directory and a file on a file (subPath): see what the image has at ${mount.path}.`,
      path: fieldOf(container, ...(index < 0 ? ['image'] : ['volumeMounts', index, 'mountPath'])),
      value: null,
    };
  }
  const { workingDir } = container.spec;
  if (workingDir === undefined || !message.includes(`mkdir ${workingDir}`)) return null;
  return {
    text: 'Name a workingDir that is there, or that can be made there.',
    path: fieldOf(container, 'workingDir'),
    value: null,
  };
}

/** After the path stand the options of the mount, and then what the system said. Source: opencontainers/runc, libcontainer/rootfs_linux.go. */
function failedMount(message: string): { readonly path: string; readonly why: string } | null {
  const found = /error mounting "[^"]*" to rootfs at "(?<path>[^"]+)": (?:mount .*?: )?(?<why>.*)/s.exec(
    message,
  )?.groups;
  return found === undefined ? null : { path: found['path'] ?? '', why: found['why'] ?? '' };
}

function base(container: ContainerScene, failure: StartFailure) {
  return {
    scope: 'application' as const,
    container: container.name,
    evidence: [{ what: 'start of the container', value: failure.message }],
    falsifier: 'The process starts at a later attempt.',
    depth: DEPTH.start,
    pods: [container.podName],
  };
}

/** The runtimes wrap their errors: the cause stands at the end. */
function lastClause(message: string): string {
  const mount = failedMount(message);
  if (mount !== null) return `nothing can be mounted at ${mount.path}: ${mount.why}`;
  const cut = message.lastIndexOf('exec: ');
  if (cut >= 0) return message.slice(cut).slice(0, 300);
  const wrapped = message.lastIndexOf(WRAPPED);
  return (wrapped >= 0 ? message.slice(wrapped + WRAPPED.length) : message).slice(0, 300);
}

const WRAPPED = 'error during container init: ';

import { isDeepStrictEqual } from 'node:util';
import { imageOf, type NamespaceState, readState } from '../test/live/namespace-state.ts';
import { run } from './process.ts';
import { type Deployed, done, killedAfter, type Tool } from './rollback-tools.ts';
import { deployment, inNamespace, REGISTRY } from './scene.ts';

/** What one tool came to: a cell for each question, all tools in the same order. */
export type Answers = ReadonlyMap<string, string>;

/** The workloads of most stories. */
const BOTH: readonly string[] = ['deployment/api', 'deployment/web'];

function container(tag: string): object {
  const readinessProbe = { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 };
  return { image: `${REGISTRY}/app:${tag}`, readinessProbe };
}

function manifest(namespace: string, mode: string, web: string, api: string, extra = false): string {
  const config = (name: string) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { MODE: mode } });
  const workload = (name: string, tag: string) =>
    deployment(namespace, name, { container: container(tag), spec: { progressDeadlineSeconds: 600 } });
  const objects = [config('settings'), ...(extra ? [config('extra')] : []), workload('api', api), workload('web', web)];
  return objects.join('\n---\n');
}

/** A bad image comes with a changed ConfigMap and a new one. */
async function oneBad(tool: Tool, namespace: string): Promise<Answers> {
  const good = manifest(namespace, 'good', 'v1', 'v1');
  await mustSucceed(tool, good, namespace);
  const before = await stateOf(namespace);
  const bad = await done(await tool.deployOrRollBack(manifest(namespace, 'bad', 'nope', 'v2', true), namespace, BOTH));
  const after = await stateOf(namespace);
  await done(await tool.deploy(good, namespace, BOTH));
  return new Map([
    ['exit code, after', `${bad.code}, ${bad.seconds.toFixed(0)} s`],
    ['its output says why', reasonIn(bad)],
    ['other than before', differences(before, after)],
    ['changed by the next deploy of the old manifest', differences(after, await stateOf(namespace))],
    ['files left to look into', bad.files.length === 0 ? 'none' : `${bad.files.length}`],
  ]);
}

/** Nothing takes the first one back, as where a rollback was not asked for or not finished. */
async function twoBad(tool: Tool, namespace: string): Promise<Answers> {
  await mustSucceed(tool, manifest(namespace, 'good', 'v1', 'v1'), namespace);
  await done(await tool.deploy(manifest(namespace, 'bad', 'nope', 'v1'), namespace, BOTH));
  await done(await tool.deployOrRollBack(manifest(namespace, 'worse', 'neither', 'v1'), namespace, BOTH));
  return new Map([['two bad deploys in a row: the image, the ConfigMap', await standing(namespace)]]);
}

/** Somebody sets another image on the workload that went well, while the other one is waited for. */
async function personBetween(tool: Tool, namespace: string): Promise<Answers> {
  await mustSucceed(tool, manifest(namespace, 'good', 'v1', 'v1'), namespace);
  const running = done(await tool.deployOrRollBack(manifest(namespace, 'bad', 'nope', 'v2'), namespace, BOTH));
  const isSecond = '--for=jsonpath={.metadata.generation}=2';
  await run('kubectl', ['wait', 'deployment/api', '-n', namespace, isSecond, '--timeout=60s']);
  await run('kubectl', ['rollout', 'status', 'deployment/api', '-n', namespace, '--timeout=60s']);
  await run('kubectl', ['set', 'image', 'deployment/api', `app=${REGISTRY}/app:v3`, '-n', namespace]);
  const ended = await running;
  const image = tagOf(await imageOf(namespace, 'deployment/api'));
  const kept = image === 'v3' ? 'kept' : `lost: ${image} again`;
  return new Map([
    ["a person's `kubectl set image` in between", kept],
    ['… the output names it', /kubectl-set/.test(ended.output) ? 'yes' : 'no'],
    ['… and the failed workload, the ConfigMap', await standing(namespace)],
  ]);
}

/** The process is lost while it waits; then the same step runs again. */
async function killed(tool: Tool, namespace: string): Promise<Answers> {
  await mustSucceed(tool, manifest(namespace, 'good', 'v1', 'v1'), namespace);
  const bad = () => tool.deployOrRollBack(manifest(namespace, 'bad', 'nope', 'v1'), namespace, BOTH);
  await done(killedAfter(8, await bad()));
  const again = await done(await bad());
  return new Map([
    ['killed while it waits, and run again: the image, the ConfigMap', await standing(namespace)],
    ['… the output says why it failed', reasonIn(again)],
  ]);
}

/** There is nothing to go back to. */
async function firstDeploy(tool: Tool, namespace: string): Promise<Answers> {
  await done(await tool.deployOrRollBack(manifest(namespace, 'bad', 'nope', 'v1'), namespace, BOTH));
  const { stdout } = await run('kubectl', [
    'get',
    'deployment/web',
    '-n',
    namespace,
    '-o',
    'name',
    '--ignore-not-found',
  ]);
  return new Map([
    ['a first deploy that fails', stdout === '' ? 'removed, with what it would show' : 'kept to look into'],
  ]);
}

/** With OrderedReady the controller replaces no pod before all are ready, and the failed one never will be. */
async function trapped(tool: Tool, namespace: string): Promise<Answers> {
  const set = (tag: string) => asStatefulSet(deployment(namespace, 'web', { container: container(tag) }));
  await mustSucceed(tool, set('v1'), namespace, ['statefulset/web']);
  await done(await tool.deployOrRollBack(set('nope'), namespace, ['statefulset/web']));
  const path = 'jsonpath={.status.readyReplicas}';
  const { stdout } = await run('kubectl', ['get', 'statefulset/web', '-n', namespace, '-o', path]);
  const image = tagOf(await imageOf(namespace, 'statefulset/web'));
  return new Map([['a StatefulSet: the image, ready pods', `${image}, ${stdout === '' ? '0' : stdout} of 1`]]);
}

const STORIES = [oneBad, twoBad, personBetween, killed, firstDeploy, trapped] as const;

function asStatefulSet(text: string): string {
  const { spec, ...rest } = JSON.parse(text) as { readonly spec: Readonly<Record<string, unknown>> };
  const { progressDeadlineSeconds: _seconds, ...own } = spec;
  return JSON.stringify({ ...rest, kind: 'StatefulSet', spec: { ...own, serviceName: 'web' } });
}

async function mustSucceed(tool: Tool, wanted: string, namespace: string, workloads = BOTH): Promise<void> {
  const { code, output } = await done(await tool.deployOrRollBack(wanted, namespace, workloads));
  if (code !== 0) throw new Error(`${tool.name}: the good deploy ended with ${code}: ${output.slice(-500)}`);
}

/** Helm's own notes are no part of what was deployed. */
async function stateOf(namespace: string): Promise<NamespaceState> {
  const all = await readState(namespace);
  return new Map([...all].filter(([name]) => !name.startsWith('Secret/sh.helm.release')));
}

/** `ConfigMap/extra is new, Deployment/web (owners)`; `nothing`. */
function differences(before: NamespaceState, after: NamespaceState): string {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const found = names.flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)] as [object | undefined, object | undefined];
    if (was === undefined || is === undefined) return [`${name} is ${was === undefined ? 'new' : 'gone'}`];
    const fields = Object.keys(is).filter((key) => !isDeepStrictEqual(Reflect.get(was, key), Reflect.get(is, key)));
    return fields.length === 0 ? [] : [`${name} (${fields.join(', ')})`];
  });
  return found.length === 0 ? 'nothing' : found.join('; ');
}

/** The line that tells of the image that is missing. */
function reasonIn({ output }: Deployed): string {
  const line = output
    .split('\n')
    .find((each) => /nope.*not found|not found.*nope|ErrImagePull|ImagePullBackOff/.test(each));
  return line === undefined ? `no: \`${(output.trim().split('\n').at(-1) ?? '').slice(0, 90)}\`` : 'yes';
}

async function standing(namespace: string): Promise<string> {
  const mode = ['get', 'configmap/settings', '-n', namespace, '-o', 'jsonpath={.data.MODE}'];
  const { stdout } = await run('kubectl', mode);
  return `${tagOf(await imageOf(namespace, 'deployment/web'))}, ${stdout}`;
}

function tagOf(image: string): string {
  return image.split(':').at(-1) ?? '';
}

/** All stories side by side, each in a namespace of its own. */
export async function answersOf(tool: Tool): Promise<Answers> {
  const all = await Promise.all(STORIES.map((story) => inNamespace((namespace) => story(tool, namespace))));
  return new Map(all.flatMap((answers) => [...answers]));
}

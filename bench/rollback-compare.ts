/**
 * `npm run compare:rollback`: plays three failed deploys with each way to take them back, on the cluster of KUBECONFIG, and writes what each
 * leaves behind into docs/rollback.md. HELM names the program of Helm 4; without it that column is left out.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { imageOf, type NamespaceState, readState } from '../test/live/namespace-state.ts';
import { run } from './process.ts';
import { type Deployed, type Tool, toolsToCompare } from './rollback-tools.ts';
import { deployment, inNamespace, REGISTRY } from './scene.ts';

/** What one tool came to: a cell for each question, all tools in the same order. */
type Answers = ReadonlyMap<string, string>;

function manifest(namespace: string, mode: string, web: string, api: string, extra = false): string {
  const config = (name: string) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { MODE: mode } });
  const readinessProbe = { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 1 };
  const workload = (name: string, tag: string) =>
    deployment(namespace, name, {
      container: { image: `${REGISTRY}/app:${tag}`, readinessProbe },
      spec: { progressDeadlineSeconds: 600 },
    });
  const objects = [config('settings'), ...(extra ? [config('extra')] : []), workload('api', api), workload('web', web)];
  return objects.join('\n---\n');
}

/** A bad image comes with a changed ConfigMap and a new one. */
async function oneBad(tool: Tool, namespace: string): Promise<Answers> {
  const good = manifest(namespace, 'good', 'v1', 'v1');
  await mustSucceed(tool, good, namespace);
  const before = await stateOf(namespace);
  const bad = await tool.deployOrRollBack(manifest(namespace, 'bad', 'nope', 'v2', true), namespace);
  const after = await stateOf(namespace);
  await tool.deploy(good, namespace);
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
  await tool.deploy(manifest(namespace, 'bad', 'nope', 'v1'), namespace);
  await tool.deployOrRollBack(manifest(namespace, 'worse', 'neither', 'v1'), namespace);
  return new Map([['two bad deploys in a row: the image, the ConfigMap', await standing(namespace)]]);
}

/** Somebody sets another image on the workload that went well, while the other one is waited for. */
async function personBetween(tool: Tool, namespace: string): Promise<Answers> {
  await mustSucceed(tool, manifest(namespace, 'good', 'v1', 'v1'), namespace);
  const running = tool.deployOrRollBack(manifest(namespace, 'bad', 'nope', 'v2'), namespace);
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

const STORIES = [oneBad, twoBad, personBetween];

async function mustSucceed(tool: Tool, wanted: string, namespace: string): Promise<void> {
  const { code, output } = await tool.deployOrRollBack(wanted, namespace);
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

async function answersOf(tool: Tool): Promise<Answers> {
  const all = await Promise.all(STORIES.map((story) => inNamespace((namespace) => story(tool, namespace))));
  return new Map(all.flatMap((answers) => [...answers]));
}

const tools = toolsToCompare();
const answers: Answers[] = [];
for (const tool of tools) answers.push(await answersOf(tool));
const row = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = [
  row(['', ...tools.map(({ name }) => name)]),
  `|${'---|'.repeat(tools.length + 1)}`,
  ...[...(answers[0] ?? new Map<string, string>()).keys()].map((question) =>
    row([question, ...answers.map((each) => each.get(question) ?? '')]),
  ),
].join('\n');
const file = path.resolve(import.meta.dirname, '../docs/rollback.md');
const docs = await readFile(file, 'utf8');
const marked = /(<!-- begin comparison -->\n)[\s\S]*(<!-- end comparison -->)/;
await writeFile(
  file,
  docs.replace(marked, (_all, begin: string, end: string) => `${begin}\n${table}\n\n${end}`),
);
console.log(table);

import { parseDuration } from './duration.ts';
import { createReader, type GetInput, oneOf, type Read } from './input-reader.ts';
import { readWanted } from './inputs-github.ts';
import { parseImage } from './manifest/image-reference.ts';
import type { ImageOverride, Options, WorkloadSelector } from './options.ts';
import { GateError } from './problem.ts';
import type { Patience } from './stall/finding.ts';
import { parsePatience } from './stall/override.ts';

const DEFAULT_LEDGER = 'rollout-gate-ledger';
/** The longest that GitHub lets a job run, on a runner of one's own. */
const LONGEST_MS = 5 * 24 * 3_600_000;

/**
 * The inputs of the action, validated.
 *
 * @throws GateError with every bad input at once, each naming the input, its value and what is accepted
 */
export function readInputs(get: GetInput): Options {
  const problems: string[] = [];
  const read = createReader(get, problems);
  const options: Options = {
    mode: read('mode', oneOf(['deploy', 'watch', 'plan'] as const), 'deploy'),
    manifests: lines(get('manifests')),
    workloads: lines(get('workloads')).flatMap((line) => readLine(line, parseWorkload, 'workloads', problems)),
    namespace: read('namespace', parseNamespace, ''),
    images: lines(get('images')).flatMap((line) => readLine(line, parseOverride, 'images', problems)),
    // Never part of a message: it is secret.
    kubeconfig: get('kubeconfig').trim() === '' ? '' : get('kubeconfig'),
    context: get('context').trim(),
    patience: read('patience', parsePatienceInput, 1),
    timeoutMs: read('timeout', parseTimeout, null),
    stableForMs: read('stable-for', parseDurationInput, 10_000),
    onStall: read('on-stall', oneOf(['fail', 'rollback'] as const), 'fail'),
    ledger: read('ledger', parseLedger, DEFAULT_LEDGER),
    unstickStatefulSets: read('unstick-statefulsets', parseBoolean, false),
    fieldManager: read('field-manager', parseFieldManager, 'rollout-gate'),
    forceConflicts: read('force-conflicts', parseBoolean, false),
    logLines: read('log-lines', parseLogLines, 40),
  };
  problems.push(...readWanted(get).problems, ...combinations(options));
  if (problems.length > 0) throw new GateError(problems.map((message) => ({ message, position: null })));
  return options;
}

function lines(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

function readLine<T>(line: string, parse: (text: string) => Read<T>, name: string, problems: string[]): readonly T[] {
  const result = parse(line);
  if ('value' in result) return [result.value];
  problems.push(`${name}: ${JSON.stringify(line.slice(0, 200))} is not accepted; ${result.problem}`);
  return [];
}

function parseBoolean(text: string): Read<boolean> {
  if (/^(true|True|TRUE)$/.test(text)) return { value: true };
  return /^(false|False|FALSE)$/.test(text) ? { value: false } : { problem: 'use true or false' };
}

/** Source: RFC 1123 labels, as the API server checks a namespace's name. */
function parseNamespace(text: string): Read<string> {
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(text)) return { value: text };
  return {
    problem:
      'a namespace has up to 63 lower-case letters, digits and dashes, and begins and ends with a letter or digit',
  };
}

function parseDurationInput(text: string): Read<number> {
  const milliseconds = parseDuration(text);
  if (milliseconds !== null && milliseconds <= LONGEST_MS) return { value: milliseconds };
  if (milliseconds !== null) return { problem: 'no job runs longer than 5 days; use 120h at most' };
  const hint = /^\d+$/.test(text) ? `; ${text} what? Write ${text}s for seconds` : '';
  return { problem: `use a duration such as 90s, 10m or 1h30m${hint}` };
}

function parseTimeout(text: string): Read<number> {
  const result = parseDurationInput(text);
  return 'value' in result && result.value === 0
    ? { problem: 'a timeout of nothing would fail every run; use 1s at least' }
    : result;
}

function parsePatienceInput(text: string): Read<Patience> {
  const patience = parsePatience(text);
  if (patience !== null) return { value: patience };
  return { problem: 'use a factor from 0 to 1000 (0: at first sight; 1: the default; 2: twice as long), or deadline' };
}

/** Source: RFC 1123 subdomains, as the API server checks a Secret's name. */
function parseLedger(text: string): Read<string> {
  if (text === 'none') return { value: '' };
  if (text.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(text)) return { value: text };
  return { problem: 'use the name of a Secret (lower-case letters, digits, dashes and dots), or none' };
}

/** Source: metav1 ApplyOptions.fieldManager: up to 128 printable characters. */
function parseFieldManager(text: string): Read<string> {
  if (text.length <= 128 && /^[\x20-\x7e]+$/.test(text)) return { value: text };
  return { problem: 'a field manager has up to 128 printable characters' };
}

function parseLogLines(text: string): Read<number> {
  if (/^\d+$/.test(text) && Number(text) <= 1000) return { value: Number(text) };
  return { problem: 'use a whole number from 0 to 1000' };
}

function parseWorkload(line: string): Read<WorkloadSelector> {
  const labels = /^(?:-l|--selector)(?:=|\s+)(\S.*)$/.exec(line)?.[1];
  if (labels !== undefined) return { value: { kind: 'selector', labels: labels.replace(/^["']|["']$/g, '') } };
  const named = /^([a-zA-Z][-a-zA-Z0-9.]*)\/([a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)$/.exec(line);
  if (named !== null) return { value: { kind: 'name', resource: named[1] ?? '', name: named[2] ?? '' } };
  return { problem: 'use kind/name, such as deployment/api, or -l key=value' };
}

function parseOverride(line: string): Read<ImageOverride> {
  const cut = line.indexOf('=');
  const reference = cut < 0 ? line : line.slice(cut + 1).trim();
  const parsed = parseImage(reference);
  if (parsed === null)
    return {
      problem: `${JSON.stringify(reference.slice(0, 200))} is no image reference; use name=repository:tag, or repository:tag`,
    };
  if (cut < 0 && parsed.suffix === '')
    return { problem: 'a reference without a tag or digest changes nothing; add one' };
  const name = cut < 0 ? reference.slice(0, reference.length - parsed.suffix.length) : line.slice(0, cut).trim();
  if (name === '') return { problem: 'the name before = is empty; use name=repository:tag' };
  if ((parseImage(name)?.suffix ?? '') !== '')
    return { problem: `the name before = takes no tag or digest: ${JSON.stringify(name)} would stand for every tag` };
  return { value: { entry: line, name, reference } };
}

function combinations(options: Options): readonly string[] {
  const { mode, manifests, workloads } = options;
  const problems: string[] = [];
  if (mode === 'watch' && workloads.length === 0)
    problems.push('workloads: mode watch needs at least one, such as deployment/api or -l app=api');
  if (mode === 'watch' && manifests.length > 0)
    problems.push('manifests: mode watch applies nothing; remove it, or use mode deploy');
  if (mode === 'watch' && options.images.length > 0)
    problems.push('images: mode watch applies nothing; remove it, or use mode deploy');
  if (mode === 'watch' && options.onStall === 'rollback')
    problems.push('on-stall: mode watch applies nothing that could be rolled back; use fail');
  if (options.unstickStatefulSets && options.onStall !== 'rollback')
    problems.push('unstick-statefulsets: only a rollback deletes pods; set on-stall: rollback, or remove it');
  if (mode !== 'watch' && manifests.length === 0)
    problems.push(`manifests: mode ${mode} needs at least one file, directory or glob`);
  if (mode !== 'watch' && workloads.length > 0)
    problems.push(`workloads: mode ${mode} follows what the manifests name; remove it, or use mode watch`);
  return problems;
}

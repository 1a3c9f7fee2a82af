import { html, markdown } from '../text/escape.ts';
import type { Report, ReportWorkload } from './report.ts';
import { folded, type Section } from './section.ts';
import { VERDICTS } from './section-verdict.ts';

/** More than these that went well are folded. */
const MOST_IN_SIGHT = 3;

/** How each workload ended: those that failed first, and those that went well out of the way if they are many. */
export function workloads({ workloads: all }: Report): Section {
  const good = all.filter(({ verdict }) => verdict === 'succeeded');
  const others = all.filter(({ verdict }) => verdict !== 'succeeded');
  const section = (text: string) => ({ title: 'the workloads', weight: 70, text });
  if (all.length < 2) return section('');
  if (good.length <= MOST_IN_SIGHT) return section(table([...others, ...good]));
  const fold = folded(html(`✅ ${good.length} workloads rolled out`), table(good));
  return section(others.length === 0 ? fold : `${table(others)}\n\n${fold}`);
}

function table(all: readonly ReportWorkload[]): string {
  const namespaces = new Set(all.map(({ namespace }) => namespace));
  const rows = all.map(({ kind, name, namespace, counts, verdict, cause, action, seconds }) => {
    const place = namespaces.size < 2 || namespace === '' ? '' : ` in ${markdown(namespace)}`;
    const code = cause === null ? '' : `: ${cause.code}`;
    return `| ${markdown(`${kind}/${name}`)}${place} | ${counts.ready}/${counts.desired} | ${VERDICTS[verdict]}${code}<br>${action}, decided after ${seconds} s |`;
  });
  return `| workload | ready | verdict |\n|:--|:--|:--|\n${rows.join('\n')}`;
}

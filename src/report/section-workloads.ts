import { html, markdown } from '../text/escape.ts';
import { failedWorkloads, primaryFinding } from './failed.ts';
import type { Report, ReportWorkload } from './report.ts';
import { folded, type Section } from './section.ts';
import { VERDICTS } from './section-verdict.ts';

/** More than these that went well are folded. */
const MOST_IN_SIGHT = 3;

/** How each workload ended: those that failed first, and those that went well out of the way if they are many. */
export function workloads(report: Report): Section {
  const { workloads: all } = report;
  const failed = failedWorkloads(report);
  const good = all.filter(({ verdict }) => verdict === 'succeeded');
  const others = [...failed, ...all.filter((each) => each.verdict !== 'succeeded' && !failed.includes(each))];
  const section = (text: string) => ({ title: 'the workloads', weight: 70, text });
  if (all.length < 2) return section('');
  if (good.length <= MOST_IN_SIGHT) return section(table([...others, ...good]));
  const fold = folded(html(`✅ ${good.length} workloads rolled out`), table(good));
  return section(others.length === 0 ? fold : `${table(others)}\n\n${fold}`);
}

function table(all: readonly ReportWorkload[]): string {
  const namespaces = new Set(all.map(({ namespace }) => namespace));
  const rows = all.map((workload) => {
    const { kind, name, namespace, counts, verdict, action, seconds } = workload;
    const place = namespaces.size < 2 || namespace === '' ? '' : ` in ${markdown(namespace)}`;
    const finding = primaryFinding(workload);
    const code = finding === null ? '' : `: ${finding.code}`;
    const when = verdict === 'undecided' ? 'when the wait ended' : `decided after ${seconds} s`;
    return `| ${markdown(`${kind}/${name}`)}${place} | ${counts.ready}/${counts.desired} | ${VERDICTS[verdict]}${code}<br>${action}, ${when} |`;
  });
  return `| workload | ready | verdict |\n|:--|:--|:--|\n${rows.join('\n')}`;
}

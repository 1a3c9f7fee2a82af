import { html, markdown, markdownCellCode } from '../text/escape.ts';
import type { ReportWorkload } from './report.ts';
import { folded, type Section } from './section.ts';
import type { Signal } from './signal.ts';

const MARKS = { decisive: '❌', suspicious: '⚠️', unknown: '❔', fine: '✅' } as const;
const JUDGEMENTS = Object.keys(MARKS) as readonly Signal['judgement'][];

/** All that was looked at, of the cluster and of the application; what decided stands first. @param several then they are folded, for the causes to stay in sight */
export function signals(workload: ReportWorkload, several: boolean): Section {
  const name = `${workload.kind}/${workload.name}`;
  const section = (text: string) => ({ title: `signals of ${name}`, weight: 60, text });
  if (workload.signals.length === 0) return section('');
  const body = `${table(workload, 'cluster')}\n\n${table(workload, 'application')}\n\n${LEGEND}`;
  const title = `${workload.signals.length} signals inspected`;
  if (several) return section(folded(`${title} for ${html(name)}: ${counted(workload)}`, body));
  return section(`### ${title}\n\n${body}`);
}

const LEGEND = `<sub>${JUDGEMENTS.map((each) => `${MARKS[each]} ${each}`).join(' · ')}</sub>`;

function counted({ signals: all }: ReportWorkload): string {
  return JUDGEMENTS.map((each) => [MARKS[each], all.filter(({ judgement }) => judgement === each).length] as const)
    .filter(([, count]) => count > 0)
    .map(([mark, count]) => `${count} ${mark}`)
    .join(' ');
}

/** Two columns, so that a telephone shows them whole. */
function table({ signals: all }: ReportWorkload, group: Signal['group']): string {
  const rows = all
    .filter((signal) => signal.group === group)
    .sort((a, b) => JUDGEMENTS.indexOf(a.judgement) - JUDGEMENTS.indexOf(b.judgement))
    .map(({ name, value, judgement, next }) => {
      const look = next === '' ? '' : `<br>→ ${markdownCellCode(next)}`;
      return `| ${MARKS[judgement]} ${markdown(name)} | ${markdown(value)}${look} |`;
    });
  return `| ${group === 'cluster' ? 'Cluster' : 'Application'} | observed |\n|:--|:--|\n${rows.join('\n')}`;
}

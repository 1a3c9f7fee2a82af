import { html, markdown, markdownBlock, markdownCellCode, markdownCode } from '../text/escape.ts';
import { primaryFinding } from './failed.ts';
import type { LogTail, ReportFinding, ReportWorkload } from './report.ts';
import { folded, type Section } from './section.ts';

/** Of one workload that did not get there: the proof, and what to change. @param several whether others failed too, so that each needs a title of its own */
export function cause(workload: ReportWorkload, several: boolean): Section {
  const finding = primaryFinding(workload);
  if (finding === null) return { title: '', weight: 80, text: '' };
  const name = `${workload.kind}/${workload.name}`;
  const title = several ? `### ${markdown(name)}: ${finding.code}\n\n${markdown(workload.reason)}` : '';
  const parts = [title, proof(workload, finding), remedy(workload, finding)];
  return { title: `cause of ${name}`, weight: 80, text: parts.filter((text) => text !== '').join('\n\n') };
}

function proof({ counts, ...workload }: ReportWorkload, finding: ReportFinding): string {
  const rows = finding.evidence.map((each) => `| ${markdown(each.what)} | ${markdownCellCode(each.value)} |`);
  const pods =
    finding.pods.length === 0 ? '' : ` · ${finding.pods.length} ${finding.pods.length === 1 ? 'pod' : 'pods'}`;
  return [
    `**${workload.cause === null ? 'Seen when the wait ended' : 'Proof'}** · ${finding.certainty}${pods} · ${workload.seconds} s after the apply`,
    `| observed | value |\n|:--|:--|\n${rows.join('\n')}`,
    `${counts.desired} asked for · ${counts.updated} updated · ${counts.ready} ready · ${counts.available} available · ${counts.old} old`,
    `**What would prove it wrong.** ${markdown(finding.falsifier)}`,
  ].join('\n\n');
}

function remedy(workload: ReportWorkload, finding: ReportFinding): string {
  const { position, field, value } = finding;
  const place = position === null ? '' : `${markdownCode(`${position.file}:${position.line}`)} · `;
  return [
    `**What to change.** ${markdown(finding.remedy)}`,
    field === '' ? '' : `${place}${markdownCode(field)}${value === '' ? '' : ` → ${markdownCode(value)}`}`,
    workload.blame === '' ? '' : `**What changed.** ${markdown(workload.blame)}`,
    workload.moreReplicas === '' ? '' : `**Would more replicas help?** ${markdown(workload.moreReplicas)}`,
    workload.override === '' ? '' : `**Terms of its own.** ${markdown(workload.override)}`,
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

/** What else was found, and may matter next. */
export function otherFindings(workload: ReportWorkload): Section {
  const primary = primaryFinding(workload);
  const others = workload.findings.filter(
    ({ code, container }) => code !== primary?.code || container !== primary.container,
  );
  const name = `${workload.kind}/${workload.name}`;
  const lines = others.map((finding) => `- **${finding.code}** (${finding.certainty}): ${markdown(finding.summary)}`);
  const text = lines.length === 0 ? '' : folded(`Also seen of ${html(name)}`, lines.join('\n'));
  return { title: `other findings of ${name}`, weight: 40, text };
}

/** The run that ended first: that is where the crash is. Always folded. */
export function logs(workload: ReportWorkload): Section {
  const text = workload.logs.map(logText).join('\n\n');
  return { title: `logs of ${workload.kind}/${workload.name}`, weight: 20, text };
}

function logText(log: LogTail): string {
  const run = log.previous ? ', the run before' : '';
  const count = log.lines.length;
  const lines = log.missing === '' ? ` · ${count} ${count === 1 ? 'line' : 'lines'}` : ' · not read';
  const body = log.missing === '' ? markdownBlock(log.lines.join('\n')) : markdown(log.missing);
  return folded(`Log of <b>${html(log.container)}</b> in ${html(log.pod)}${run}${lines}`, body);
}

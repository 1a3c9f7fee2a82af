import { markdown, markdownBlock, markdownCode } from '../text/escape.ts';
import type { LogTail, Report, ReportFinding, ReportWorkload } from './report.ts';
import type { Section } from './section.ts';
import { changes } from './section-changes.ts';
import { rollback } from './section-rollback.ts';
import { warnings } from './section-warnings.ts';
import type { Signal } from './signal.ts';

/** GitHub drops a summary of more than 1 MiB as a whole; some room is left for what other steps of the action may add. */
const MOST_BYTES = 1_000_000;

/**
 * The job summary in the order of a person's questions: what happened and why; what to change; what was inspected; what else; when; what
 * changed; the logs. Never above GitHub's limit: cut from the least important end, saying what was cut.
 */
export function renderSummary(report: Report, mostBytes: number = MOST_BYTES): string {
  const failed = report.workloads.filter((workload) => workload.cause !== null);
  const sections = [
    headline(report),
    problems(report),
    rollback(report),
    ...failed.flatMap((workload) => failedWorkload(workload, failed.length > 1)),
    warnings(report),
    workloadTable(report),
    timeline(report),
    changes(report),
    notices(report),
    footer(report),
  ].filter((section) => section.text !== '');
  return fit(sections, mostBytes);
}

function fit(sections: readonly Section[], mostBytes: number): string {
  let kept = sections;
  const cut: string[] = [];
  while (bytes(compose(kept, cut)) > mostBytes && kept.length > 1) {
    const least = kept.reduce((a, b) =>
      b.weight < a.weight || (b.weight === a.weight && b.text.length > a.text.length) ? b : a,
    );
    kept = kept.filter((section) => section !== least);
    cut.push(least.title);
  }
  const text = compose(kept, cut);
  return bytes(text) <= mostBytes
    ? text
    : `${Buffer.from(text)
        .subarray(0, mostBytes - 200)
        .toString('utf8')
        .replace(/�+$/, '')}\n\n_Cut here: the summary was too long for GitHub. The report has it all._\n`;
}

function compose(sections: readonly Section[], cut: readonly string[]): string {
  const note =
    cut.length === 0
      ? ''
      : `_Left out, because GitHub takes no more than 1 MiB: ${[...new Set(cut)].join(', ')}. The report has it all._\n`;
  return `${[...sections.map((section) => section.text.trimEnd()), note].filter((text) => text !== '').join('\n\n')}\n`;
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

const TITLES = {
  succeeded: '✅ Rolled out',
  stalled: '❌ Stalled',
  'timed-out': '❌ Timed out',
  rejected: '❌ Rejected',
  superseded: '⚠️ Superseded',
  cancelled: '⚠️ Cancelled',
  planned: '📝 Planned',
  undecided: '⚠️ Undecided',
} as const;

function headline(report: Report): Section {
  const cause = report.cause === '' ? '' : `: ${report.cause}`;
  return {
    title: 'the verdict',
    weight: 100,
    text: `## ${TITLES[report.verdict]}${cause}\n\n${markdown(report.reason)}`,
  };
}

function problems(report: Report): Section {
  const lines = report.problems.map((problem) => {
    const place =
      problem.position === null ? '' : `${markdownCode(`${problem.position.file}:${problem.position.line}`)} `;
    return `- ${place}${markdown(problem.message)}`;
  });
  return {
    title: 'the problems',
    weight: 90,
    text: lines.length < 2 && report.problems[0]?.position === null ? '' : lines.join('\n'),
  };
}

/** @param several whether others failed too, so that each needs a title and a sentence of its own */
function failedWorkload(workload: ReportWorkload, several: boolean): readonly Section[] {
  const name = `${workload.kind}/${workload.name}`;
  const { cause } = workload;
  if (cause === null) return [];
  return [
    { title: `cause of ${name}`, weight: 80, text: causeText(workload, cause, several) },
    { title: `signals of ${name}`, weight: 60, text: signalsText(workload) },
    { title: `other findings of ${name}`, weight: 40, text: otherFindings(workload) },
    { title: `logs of ${name}`, weight: 20, text: logsText(workload.logs) },
  ];
}

function causeText(workload: ReportWorkload, cause: ReportFinding, several: boolean): string {
  const evidence = cause.evidence.map((each) => `| ${markdown(each.what)} | ${markdownCode(each.value)} |`);
  const place = cause.position === null ? '' : ` (${markdownCode(`${cause.position.file}:${cause.position.line}`)})`;
  const field = cause.field === '' ? '' : `\n\nField: ${markdownCode(cause.field)}${place}`;
  const value = cause.value === '' ? '' : `\n\nValue to put there: ${markdownCode(cause.value)}`;
  const { counts } = workload;
  return [
    several ? `### ${markdown(`${workload.kind}/${workload.name}`)}: ${cause.code}\n\n${markdown(cause.summary)}` : '',
    `**What to do.** ${markdown(cause.remedy)}${field}${value}`,
    `**Proof** (${cause.certainty}${cause.pods.length === 0 ? '' : `, ${cause.pods.length} ${cause.pods.length === 1 ? 'pod' : 'pods'}`})\n\n| observed | value |\n|---|---|\n${evidence.join('\n')}`,
    workload.blame === '' ? '' : `**What changed.** ${markdown(workload.blame)}`,
    workload.override === '' ? '' : `**Terms of its own.** ${markdown(workload.override)}`,
    `**What would prove it wrong.** ${markdown(cause.falsifier)}`,
    `**Would more replicas help?** ${markdown(workload.moreReplicas)}`,
    `${counts.desired} asked for · ${counts.updated} updated · ${counts.ready} ready · ${counts.available} available · ${counts.old} old · ${workload.seconds} s after the apply`,
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

const MARKS = { fine: '✅ fine', suspicious: '⚠️ suspicious', decisive: '❌ decisive', unknown: '❔ unknown' } as const;

function signalsText(workload: ReportWorkload): string {
  if (workload.signals.length === 0) return '';
  const table = (group: Signal['group']) => {
    const rows = workload.signals
      .filter((signal) => signal.group === group)
      .map(
        (signal) =>
          `| ${markdown(signal.name)} | ${markdown(signal.value)} | ${MARKS[signal.judgement]} | ${signal.next === '' ? '' : markdownCode(signal.next)} |`,
      );
    return `**${group === 'cluster' ? 'Cluster' : 'Application'}**\n\n| signal | observed | judgement | look next |\n|---|---|---|---|\n${rows.join('\n')}`;
  };
  return `#### Signals inspected for ${markdown(`${workload.kind}/${workload.name}`)}\n\n${table('cluster')}\n\n${table('application')}`;
}

function otherFindings(workload: ReportWorkload): string {
  const others = workload.findings.filter(
    (finding) => finding.code !== workload.cause?.code || finding.container !== workload.cause.container,
  );
  if (others.length === 0) return '';
  const lines = others.map((finding) => `- **${finding.code}** (${finding.certainty}): ${markdown(finding.summary)}`);
  return `<details><summary>Also seen</summary>\n\n${lines.join('\n')}\n\n</details>`;
}

function logsText(logs: readonly LogTail[]): string {
  return logs
    .map((log) => {
      const title = `Log of ${markdown(log.container)} in ${markdown(log.pod)}${log.previous ? ', the run before' : ''}`;
      const body = log.missing === '' ? markdownBlock(log.lines.join('\n')) : markdown(log.missing);
      return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
    })
    .join('\n\n');
}

function workloadTable(report: Report): Section {
  const rows = report.workloads.map(
    (each) =>
      `| ${markdown(`${each.kind}/${each.name}`)} | ${markdown(each.namespace)} | ${each.action} | ${each.counts.ready}/${each.counts.desired} | ${TITLES[each.verdict]}${each.cause === null ? '' : ` (${each.cause.code})`} | ${each.seconds} s |`,
  );
  if (rows.length === 0) return { title: 'the workloads', weight: 70, text: '' };
  return {
    title: 'the workloads',
    weight: 70,
    text: `### Workloads\n\n| object | namespace | apply | ready | verdict | after |\n|---|---|---|---|---|---|\n${rows.join('\n')}`,
  };
}

function timeline(report: Report): Section {
  const rows = report.timeline.map(
    (entry) => `| ${entry.at.toFixed(1)} s | ${markdown(entry.workload)} | ${markdown(entry.text)} |`,
  );
  if (rows.length === 0) return { title: 'the timeline', weight: 35, text: '' };
  const text = `<details><summary>What happened when</summary>\n\n| after | object | what |\n|---|---|---|\n${rows.join('\n')}\n\n</details>`;
  return { title: 'the timeline', weight: 35, text };
}

function notices(report: Report): Section {
  return {
    title: 'the notices',
    weight: 50,
    text: report.notices.map((notice) => `> ${markdown(notice)}`).join('\n>\n'),
  };
}

function footer(report: Report): Section {
  const { requests } = report;
  const kib = Math.round(requests.bytesReceived / 1024);
  return {
    title: 'the footer',
    weight: 10,
    text: `<sub>${markdown(report.tool)} · ${markdown(report.server)} · ${report.durationSeconds} s · ${requests.count} requests, ${requests.retries} retries, ${kib} KiB</sub>`,
  };
}

import { markdown, markdownCode } from '../text/escape.ts';
import type { Report } from './report.ts';
import type { Section } from './section.ts';

/** What could be known before the apply. */
export function warnings(report: Report): Section {
  const lines = report.warnings.map(({ code, message, object, position }) => {
    const place = position === null ? '' : `${markdownCode(`${position.file}:${position.line}`)} `;
    return `- ⚠️ ${place}**${code}** ${markdown(object)}: ${markdown(message)}`;
  });
  const title = report.mode === 'plan' ? 'What to expect' : 'What could be known before the apply';
  return {
    title: 'the warnings',
    weight: 75,
    text: lines.length === 0 ? '' : `### ${title}\n\n${lines.join('\n')}`,
  };
}

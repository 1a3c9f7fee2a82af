import { markdown } from '../text/escape.ts';
import type { Report } from './report.ts';
import type { Section } from './section.ts';

/** What a person should know besides. */
export function notices({ notices: all }: Report): Section {
  const text = all.map((notice) => `> ${markdown(notice)}`).join('\n>\n');
  return { title: 'the notices', weight: 50, text };
}

/** Who says so, of which cluster, and what it took. */
export function footer({ tool, server, durationSeconds, requests }: Report): Section {
  const kib = Math.round(requests.bytesReceived / 1024);
  const retries = requests.retries === 0 ? '' : `, ${requests.retries} retried`;
  const text = `<sub>${markdown(tool)} · ${markdown(server)} · ${durationSeconds} s · ${requests.count} requests${retries}, ${kib} KiB</sub>`;
  return { title: 'the footer', weight: 10, text };
}

import type { Journey } from './journey.ts';
import { refKey, shortName } from './kubernetes.ts';
import type { Manifest } from './manifest/document.ts';
import type { Plan } from './plan/planned.ts';
import { NO_EFFECT } from './preflight/effect.ts';
import type { Warning } from './preflight/warning.ts';
import { say } from './progress-log.ts';
import type { Secrets } from './text/secrets.ts';

/**
 * Says in the log what an apply would change, what it would do to pods, and what is to be expected. An effect that waits for somebody is a
 * notice, too.
 */
export function tellPlan(planned: Plan, manifest: Manifest, server: string, journey: Journey, secrets: Secrets): void {
  const count = (action: 'create' | 'change' | 'keep') =>
    planned.objects.filter((object) => object.action === action).length;
  say(
    `${planned.objects.length} objects checked by ${server}: ${count('create')} to create, ${count('change')} to change, ${count('keep')} unchanged`,
    secrets,
  );
  for (const change of manifest.imageChanges)
    say(`image of ${shortName(change.document)}: ${change.from} → ${change.to}`, secrets);
  for (const { ref, action, changes } of planned.objects) {
    const effect = journey.effects.get(refKey(ref)) ?? NO_EFFECT;
    if (journey.options.mode === 'plan' && action !== 'keep') {
      const paths = changes.map((change) => change.path).join(', ');
      say(`would ${action} ${shortName(ref)} ${paths}${effect.text === '' ? '' : `: it ${effect.text}`}`, secrets);
    } else if (effect.does === 'waits') {
      const text = `${shortName(ref)} ${effect.text}`;
      journey.notices.add(text);
      say(text, secrets);
    }
  }
  for (const each of journey.warnings) say(warningLine(each), secrets);
}

function warningLine({ code, message, object, position }: Warning): string {
  const place = position === null ? '' : `${position.file}:${position.line} `;
  return `warning: ${place}${object}: ${code}: ${message}`;
}

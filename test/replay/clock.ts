/**
 * Preloaded into the process of the product (`node --import clock.ts dist/index.js`), it makes that process live n times faster, from a given
 * moment on: Date, performance.now, and every timer. The product needs no hook for it. AbortSignal.timeout stays real, since it guards
 * real input and output.
 *
 * Environment: REPLAY_SPEED, a factor; REPLAY_START, RFC 3339.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';

const speed = Number(process.env['REPLAY_SPEED'] ?? '1');
const start = Date.parse(process.env['REPLAY_START'] ?? new Date().toISOString());
if (!(speed > 0) || Number.isNaN(start))
  throw new Error('REPLAY_SPEED must be a positive number and REPLAY_START an RFC 3339 time');

const RealDate = Date;
const realNow = performance.now.bind(performance);
const began = realNow();
const virtualNow = () => start + Math.floor((realNow() - began) * speed);

const VirtualDate = new Proxy(RealDate, {
  construct: (target, args: unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [virtualNow()] : args, newTarget),
  apply: () => new RealDate(virtualNow()).toString(),
  get: (target, key, receiver) => (key === 'now' ? virtualNow : Reflect.get(target, key, receiver)),
});
globalThis.Date = VirtualDate;
performance.now = () => began + (realNow() - began) * speed;

type Timer = (callback: (...args: unknown[]) => void, milliseconds?: number, ...args: unknown[]) => unknown;
type PromisedTimer = (milliseconds?: number, ...rest: unknown[]) => unknown;

/** A builtin as the module that importers share, so that what is set here is what they see. */
const builtin = createRequire(import.meta.url);
const timers = builtin('node:timers') as Record<string, Timer>;
const promised = builtin('node:timers/promises') as Record<string, PromisedTimer>;

for (const name of ['setTimeout', 'setInterval']) {
  const real = timers[name];
  if (real === undefined) throw new Error(`node:timers has no ${name}`);
  const fast: Timer = (callback, milliseconds = 0, ...args) => real(callback, milliseconds / speed, ...args);
  // util.promisify(setTimeout) goes its own way.
  const faster = Object.defineProperties(fast, Object.getOwnPropertyDescriptors(real));
  timers[name] = faster;
  Object.defineProperty(globalThis, name, { value: faster, configurable: true, writable: true, enumerable: true });
  const realPromised = promised[name];
  if (realPromised === undefined) throw new Error(`node:timers/promises has no ${name}`);
  promised[name] = (milliseconds = 0, ...rest) => realPromised(milliseconds / speed, ...rest);
}
syncBuiltinESMExports();

const COMPLAINT =
  /\b(?:error|err|fatal|panic(?:ked)?|exception|fail(?:ed|ure)?|cannot|can't|could ?n[o']t|unable|unknown|invalid|missing|denied|refused|not found|no such|in use|not permitted|read-only|no space left|forbidden|unauthorized|timed out|unreachable|rejected|must be|must have|not set|is required|abort(?:ed)?|killed|segfault|unhandled|uncaught|undefined|bad|critical|severe)\b|[A-Z]\w*(?:Error|Exception)\b/i;
/** Counts that are nought, and words that only sound like it. */
const NO_COMPLAINT =
  /\b(?:no|0|zero|without) (?:\w+ )?(?:errors?|failures?|exceptions?)\b|\b(?:errors?|failed)[=:] ?(?:0|null|none|false)\b/i;
/** Lines that go with a complaint and say nothing without it: stack frames, carets, rules, and what ends a block. */
const CONTINUED =
  /^(?:\s+at |\s+File "|\s*\^+|\s*\.\.\. \d+ more|\s*[-=~*_#]+\s*$|\s*[)\]}]+[;,]?\s*$|goroutine \d+|\t|\s*Node\.js v|exit status \d+$|\[?signal )/;
/** How far back a complaint may stand to be that of the end. */
const MOST_LINES = 40;

/**
 * What a container that ended said of it: the last line that complains, without the stack that follows it; where none does, the last line
 * that says anything.
 *
 * @param lines of its log, the last one last; null while they are not read
 * @returns one line; undefined if there is none
 */
export function lastWords(lines: readonly string[] | null): string | undefined {
  const said = (lines ?? []).filter((line) => line.trim() !== '').slice(-MOST_LINES);
  const telling = said.filter((line) => !CONTINUED.test(line));
  const complaint = telling.findLast((line) => COMPLAINT.test(line) && !NO_COMPLAINT.test(line));
  const words = complaint ?? telling.at(-1) ?? said.at(-1);
  return words === undefined ? undefined : withNext(words.trim(), said);
}

/** A line that ends with a colon announces what the next one says. */
function withNext(words: string, said: readonly string[]): string {
  if (!words.endsWith(':')) return words;
  const next = said[said.findLastIndex((line) => line.trim() === words) + 1];
  return next === undefined ? words : `${words} ${next.trim()}`;
}

/** So many requests are under way at a time. */
const CONCURRENCY = 8;

/** Works on all items, a few at a time; the results keep the items' order. */
export async function inTurns<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = new Array(items.length);
  const entries = items.entries();
  const worker = async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return results;
}

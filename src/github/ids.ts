/** The ID that a step before this one remembered; null if there is none. */
export function idOf(left: string | null): number | null {
  return left === null || !/^\d+$/.test(left) ? null : Number(left);
}

/**
 * The ID of what GitHub has created.
 *
 * @throws Error if the answer has none, such as the page of a proxy that answers 200 to everything
 */
export function createdId(data: unknown): number {
  const id = (data as { readonly id?: unknown } | null)?.id;
  if (typeof id === 'number') return id;
  throw new Error('the answer is not that of GitHub: it has no ID');
}

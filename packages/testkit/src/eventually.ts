/** Calls `look` until it returns a value that is neither false, null nor undefined, and returns that value. */
export async function eventually<T>(
  look: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  {
    withinMs = 40_000,
    everyMs = 20,
    what = 'the condition',
  }: { withinMs?: number; everyMs?: number; what?: string } = {},
): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const value = await look();
    if (value !== false && value !== null && value !== undefined) return value;
    if (performance.now() - startedAt > withinMs)
      throw new Error(`${what} did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

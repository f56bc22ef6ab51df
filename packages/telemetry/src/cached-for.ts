/** Caches the result of `read` for `ttlMs`. Concurrent callers share one read; an error is not cached. */
export function cachedFor<T>(
  ttlMs: number,
  read: () => Promise<T>,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  let cached: { value: Promise<T>; until: number } | null = null;
  return () => {
    if (cached && cached.until > now()) return cached.value;
    const fresh = { value: read(), until: now() + ttlMs };
    cached = fresh;
    fresh.value.catch(() => {
      if (cached === fresh) cached = null;
    });
    return fresh.value;
  };
}

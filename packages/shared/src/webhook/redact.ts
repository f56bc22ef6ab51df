import type { Problem } from '@carillon/recurrence';
import type { Target } from '../plan.js';

/** Replaces the value of a header wherever a target is shown. */
export const REDACTED = '•••';

/** A target as it may be shown: the names of its headers, and none of their values. */
export function redactTarget<T extends Target | null>(target: T): T {
  if (target?.type !== 'webhook') return target;
  const headers = Object.fromEntries(Object.keys(target.headers).map((name) => [name, REDACTED]));
  return { ...target, headers };
}

/**
 * Restores the stored header values if a client sends redacted ones, as happens when it reads a target, edits it and
 * sends it back. The origin of the URL must be the same. Otherwise a client that may not read the values could have
 * them sent to its own server.
 */
export function keepRedacted(
  target: Target,
  stored: Target | null,
): { ok: true; target: Target } | { ok: false; problems: Problem[] } {
  if (target.type !== 'webhook' || !Object.values(target.headers).includes(REDACTED))
    return { ok: true, target };
  const isSameOrigin = stored?.type === 'webhook' && originOf(stored.url) === originOf(target.url);
  const kept = new Map(
    isSameOrigin ? Object.entries(stored.headers).map(([name, value]) => [name.toLowerCase(), value]) : [],
  );
  const problems: Problem[] = [];
  const headers = Object.entries(target.headers).map(([name, value]) => {
    if (value !== REDACTED) return [name, value] as const;
    const known = kept.get(name.toLowerCase());
    if (known === undefined) problems.push(redactedProblem(name, stored !== null && !isSameOrigin));
    return [name, known ?? value] as const;
  });
  return problems.length > 0
    ? { ok: false, problems }
    : { ok: true, target: { ...target, headers: Object.fromEntries(headers) } };
}

export function redactedProblem(name: string, isOtherOrigin = false): Problem {
  const reason = isOtherOrigin ? ', because the URL leads to another origin than before' : '';
  return { field: `target.headers.${name}`, message: `is redacted; send the value itself${reason}` };
}

const originOf = (url: string) => (URL.canParse(url) ? new URL(url).origin : null);

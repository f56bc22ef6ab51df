import { CarillonError } from '../transport/carillon-error.js';
import { harmless } from './terminal.js';
import { UsageError } from './usage-error.js';

/** What a program can tell from how the command ended. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  conflict: 5,
  unreachable: 6,
} as const;

const BY_STATUS: Readonly<Record<number, number>> = {
  400: EXIT.usage,
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  404: EXIT.notFound,
  409: EXIT.conflict,
  412: EXIT.conflict,
  422: EXIT.conflict,
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return EXIT.usage;
  if (!(error instanceof CarillonError)) return EXIT.failed;
  if (error.kind === 'network' || error.kind === 'timeout') return EXIT.unreachable;
  return BY_STATUS[error.status ?? 0] ?? EXIT.failed;
}

/** What went wrong, and what to do about it. */
export function explain(error: unknown): string {
  if (!(error instanceof CarillonError)) return error instanceof Error ? error.message : String(error);
  const { kind, status, fieldErrors } = error;
  const message = harmless(error.message);
  if (kind === 'network' || kind === 'timeout') {
    return `${message}\nIs it running? \`npm start\` starts Carillon here; CARILLON_URL or --url names another.`;
  }
  if (status === 401)
    return `${message}\nSet CARILLON_KEY to a key of this Carillon, or give one with --key.`;
  if (status === 403)
    return `${message}\n\`carillon keys create\` makes keys, for whoever holds the scope admin.`;
  if (status === 412)
    return `${message}\nSomebody has changed it meanwhile; look with \`carillon schedules show\`.`;
  if (fieldErrors.length > 1)
    return fieldErrors.map((each) => harmless(`${each.field}: ${each.message}`)).join('\n');
  return message;
}

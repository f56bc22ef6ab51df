import { CarillonError } from '../transport/carillon-error.js';
import { withoutControls } from './terminal.js';
import { UsageError } from './usage-error.js';

/** The exit codes of the command. */
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

/**
 * The exit code of `carillon plan --detailed-exitcode` if there are changes to apply. `carillon plan` exits with 1 for
 * every error, so that 2 has only this meaning.
 */
export const CHANGES_PENDING = 2;

/** Explains an error, and says what to do about it. */
export function explainError(error: unknown): string {
  if (!(error instanceof CarillonError)) return error instanceof Error ? error.message : String(error);
  const { kind, status, fieldErrors } = error;
  const message = withoutControls(error.message);
  if (kind === 'network' || kind === 'timeout') {
    return `${message}\nIs the API running? \`npm start\` starts one in this folder; CARILLON_URL or --url selects another one.`;
  }
  if (status === 401) return `${message}\nSet CARILLON_KEY to a valid key, or pass --key.`;
  if (status === 403)
    return `${message}\nAn admin of the project creates keys with \`carillon keys create\`.`;
  if (status === 412)
    return `${message}\nThe schedule was changed in the meantime; read it with \`carillon schedules show\`.`;
  if (fieldErrors.length > 1)
    return fieldErrors.map((each) => withoutControls(`${each.field}: ${each.message}`)).join('\n');
  return message;
}

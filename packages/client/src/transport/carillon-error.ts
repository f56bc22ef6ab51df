/** The problem of one field of a request. */
export interface FieldError {
  field: string;
  code: 'missing' | 'unknown_field' | 'invalid_value';
  message: string;
}

/** The problem that the API answered with (RFC 9457). */
export interface Problem {
  /** The path of a page of the API that explains the problem. */
  type: string;
  /** A stable code that a program may branch on, such as `not_found` or `stale_version`. */
  code: string;
  title: string;
  status: number;
  detail: string;
  instance?: string | undefined;
  errors?: FieldError[] | undefined;
}

/**
 * `refused`: the API answered with an error status. `invalid`: the payload does not match the schema of its handler, so
 * nothing was sent. `network` and `timeout`: no complete response came. `unreadable`: the response is not JSON.
 */
export type ErrorKind = 'refused' | 'invalid' | 'network' | 'timeout' | 'unreadable';

/** Thrown by every call that does not succeed. */
export class CarillonError extends Error {
  override readonly name = 'CarillonError';
  readonly kind: ErrorKind;
  /** The HTTP status; null if no answer came. */
  readonly status: number | null;
  /** The problem that the API answered with; null if the answer was not problem+json. */
  readonly problem: Problem | null;
  /** The delay that `Retry-After` asks for. */
  readonly retryAfterMs: number | null;

  constructor(
    message: string,
    { kind, status = null, problem = null, retryAfterMs = null, cause }: ErrorDetails,
  ) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }

  /** The code of the problem, such as `not_found`; null if no problem came from the API. */
  get code(): string | null {
    return this.problem?.code ?? null;
  }

  /** The problems of single fields; empty if the problem is not about fields. */
  get fieldErrors(): readonly FieldError[] {
    return this.problem?.errors ?? [];
  }
}

export interface ErrorDetails {
  kind: ErrorKind;
  status?: number | null;
  problem?: Problem | null;
  retryAfterMs?: number | null;
  cause?: unknown;
}

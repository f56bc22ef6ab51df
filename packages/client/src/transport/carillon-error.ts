/** What is wrong with one field of a request. */
export interface FieldError {
  field: string;
  message: string;
}

/** What went wrong, as the API says it (RFC 9457). */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance?: string | undefined;
  errors?: FieldError[] | undefined;
}

/** `refused`: the API said no. The others: no answer came, or none that could be read. */
export type ErrorKind = 'refused' | 'network' | 'timeout' | 'unreadable';

/** Thrown by every call that does not succeed. */
export class CarillonError extends Error {
  override readonly name = 'CarillonError';
  readonly kind: ErrorKind;
  /** The HTTP status; null where no answer came. */
  readonly status: number | null;
  /** What the API says went wrong. */
  readonly problem: Problem | null;
  /** How long the API asks to wait before the next try. */
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

  /** What is wrong, field by field; empty where it is not about fields. */
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

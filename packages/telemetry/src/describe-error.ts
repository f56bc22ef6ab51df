/** The fields of an error that a log line shows. */
interface DescribedError {
  type: string;
  message: string;
  code?: string | number;
  /** The table and the constraint of an error of Postgres. */
  table?: string;
  constraint?: string;
  stack?: string;
  cause?: DescribedError | string;
  errors?: (DescribedError | string)[];
}

type ErrorLike = Partial<Record<keyof DescribedError, unknown>> & { message: string };

/** Maximum number of nested causes that a log line shows. A chain of causes may be circular. */
const MAX_DEPTH = 5;

/**
 * Describes an error for a log line. Only fields that are known to be harmless are kept, because others may hold
 * confidential values. The `detail` of a Postgres error, for example, quotes the row, and with it the payload.
 */
export function describeError(error: unknown, depth = 0): DescribedError | string {
  if (!isErrorLike(error)) return String(error);
  const { message, code, table, constraint, stack, cause, errors } = error;
  const hasMore = depth < MAX_DEPTH;
  return {
    type: error.constructor?.name ?? 'Error',
    message,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(typeof table === 'string' ? { table } : {}),
    ...(typeof constraint === 'string' ? { constraint } : {}),
    ...(typeof stack === 'string' ? { stack } : {}),
    ...(hasMore && cause !== undefined ? { cause: describeError(cause, depth + 1) } : {}),
    ...(hasMore && Array.isArray(errors)
      ? { errors: errors.map((each) => describeError(each, depth + 1)) }
      : {}),
  };
}

/** The serializers of every logger. Pino's own serializer of `err` copies all fields of an error. */
export const LOG_SERIALIZERS = { err: (error: unknown) => describeError(error) };

const isErrorLike = (error: unknown): error is ErrorLike =>
  typeof (error as Partial<ErrorLike> | null | undefined)?.message === 'string';

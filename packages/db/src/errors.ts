/**
 * Classes of error codes (SQLSTATE) of a server that is unavailable at the moment: broken connection (08), out of
 * resources (53), shutdown or other operator intervention (57), system error (58).
 */
const UNAVAILABLE = /^(08|53|57|58)/;
/**
 * Error codes (SQLSTATE) of a conflict with another transaction: rolled back (class 40), lock not available (55P03).
 */
const CONFLICT = /^(40|55P03)/;
/**
 * Error codes (SQLSTATE) of data that the server refuses or can't read: invalid (class 22), against a constraint (23),
 * too large (54), damaged (XX001 and XX002).
 */
const BAD_DATA = /^(2[23]|54|XX00[12])/;
/**
 * Errors of the driver that have no code: a connection that broke or could not be opened, or an answer that did not
 * come in time.
 */
const BROKEN_CONNECTION =
  /^(Connection terminated|Client has encountered|timeout exceeded|timeout expired|Query read timeout)/;

interface PostgresError {
  code?: string;
  severity?: string;
  syscall?: string;
  message?: string;
}

/**
 * True if Postgres could not be reached or is not able to serve at the moment. False if it has refused this statement.
 */
export function isDatabaseAway(error: unknown): boolean {
  const { code = '', severity, syscall, message = '' } = error as PostgresError;
  if (severity === undefined) return syscall !== undefined || BROKEN_CONNECTION.test(message);
  // A fatal error ends or refuses the connection, whatever the statement was.
  return severity === 'FATAL' || severity === 'PANIC' || UNAVAILABLE.test(code);
}

/** True if Postgres has refused a statement or could not be reached. False for errors of the program itself. */
export const isDatabaseError = (error: unknown): boolean =>
  isDatabaseAway(error) || (error as PostgresError).severity !== undefined;

/**
 * Error codes of Node for a server certificate that is not accepted: untrusted, expired, or made out to another name.
 */
const REFUSED_CERTIFICATE =
  /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_|UNABLE_TO_(VERIFY|GET)_)/;

/** Says what to do if the certificate of Postgres was not accepted; null for any other error. */
export function explainCertificate(error: unknown): string | null {
  const { code = '', message = '' } = error as PostgresError;
  if (!REFUSED_CERTIFICATE.test(code)) return null;
  return `the certificate of Postgres is refused (${message}): with sslmode=verify-full, DATABASE_URL has to contain the name in the certificate, and sslrootcert the file of its authority`;
}

/** True if another transaction was in the way: a deadlock, a serialization failure or a lock time-out. */
export function isConflict(error: unknown): boolean {
  const { code = '', severity } = error as PostgresError;
  return severity !== undefined && CONFLICT.test(code);
}

/** SQLSTATE of a statement that Postgres has cancelled, because of its time-out or by request. */
const CANCELED = '57014';

/** True if Postgres has cancelled a statement. This is no outage, because Postgres has answered. */
export const isCanceled = (error: unknown): boolean => (error as PostgresError).code === CANCELED;

/** True if a statement took longer than Postgres or the driver allows. */
export const isTimeout = (error: unknown): boolean =>
  isCanceled(error) || (error as Error).message === 'Query read timeout';

/**
 * True if the same statement may succeed in a moment, because Postgres was away or another transaction was in the way.
 */
export const isTransientError = (error: unknown): boolean => isDatabaseAway(error) || isConflict(error);

/** True if the statement would have inserted a second row with the same unique key. */
export const isDuplicate = (error: unknown): boolean => (error as PostgresError).code === '23505';

/**
 * Thrown if this version of Carillon can't work with the database, or with the pooler in front of it. The message says
 * what to do.
 */
export class UnsupportedDatabase extends Error {}

/** Thrown if the stored definition of a schedule in a batch can't be parsed. */
export class UnreadableDefinition extends Error {}

/**
 * True if one row of a batch caused the error, and not the statement or the server. The batch may succeed without that
 * row.
 */
export const isBadRow = (error: unknown): boolean =>
  error instanceof UnreadableDefinition || isBadData(error);

/** True if Postgres refuses the data of a row. One such row fails the whole batch. */
export function isBadData(error: unknown): boolean {
  return BAD_DATA.test((error as PostgresError).code ?? '');
}

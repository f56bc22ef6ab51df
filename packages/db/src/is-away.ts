/** Classes of SQLSTATE that say "not now": connection (08), resources (53), operator (57), system (58). */
const NOT_THERE = /^(08|53|57|58)/;
/** Classes that say "not this time": rolled back (40), and a lock that was not to be had (55P03). */
const IN_EACH_OTHERS_WAY = /^(40|55P03)/;
/** What pg says, without a code, of a connection that broke or was not had. */
const BROKEN =
  /^(Connection terminated|Client has encountered|timeout exceeded|timeout expired|Query read timeout)/;

/** Whether an error says that Postgres is away, rather than that it won't have what it was given. */
export function isDatabaseAway(error: unknown): boolean {
  const { code = '', severity, syscall, message = '' } = error as Record<string, string | undefined>;
  if (severity === undefined) return syscall !== undefined || BROKEN.test(message);
  // What is fatal ended the connection, or refused it: that is never about what was asked.
  return severity === 'FATAL' || severity === 'PANIC' || NOT_THERE.test(code);
}

/** Whether an error says that somebody else was in the way. */
export function isInTheWay(error: unknown): boolean {
  const { code = '', severity } = error as Record<string, string | undefined>;
  return severity !== undefined && IN_EACH_OTHERS_WAY.test(code);
}

/** Whether the same statement may well succeed in a moment. */
export const isTransientError = (error: unknown): boolean => isDatabaseAway(error) || isInTheWay(error);

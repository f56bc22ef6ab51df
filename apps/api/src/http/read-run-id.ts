import { decodeRunId, type RunIdentity } from '@carillon/shared';

/** Postgres has no instants before 4714 BC, and a query for one fails. */
const EARLIEST_AT = Date.UTC(-4712, 0, 1);

/** Parses a run id. Null if no run can have it. */
export function readRunId(text: string): RunIdentity | null {
  const run = decodeRunId(text);
  return run && run.occurrenceAt >= EARLIEST_AT ? run : null;
}

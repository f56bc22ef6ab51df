import { decodeRunId, type RunIdentity } from '@carillon/shared';

/** The earliest instant of Postgres is in 4714 BC. A query for an earlier one fails. */
const EARLIEST_AT = Date.UTC(-4712, 0, 1);

/** Parses a run id. Null if no run can have it. */
export function readRunId(text: string): RunIdentity | null {
  const run = decodeRunId(text);
  return run && run.occurrenceAt >= EARLIEST_AT ? run : null;
}

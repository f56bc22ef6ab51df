import { defineHandler } from 'carillon';
import { z } from 'zod';

/**
 * A handler is a function that a schedule can have as its target. The schema gives the type of the payload, here and in
 * each schedule. A schedule whose payload does not fit the schema is refused when it is created.
 */
export const sendDigest = defineHandler({
  name: 'send-digest',
  schema: z.object({ to: z.email(), limit: z.number().int().default(10) }),
  run({ payload, occurrenceAt, runId }) {
    // Replace this by your own code. Deliveries are at-least-once: use the run's id to deduplicate.
    console.log(`${runId}: the digest of ${occurrenceAt.toISOString()} goes to ${payload.to}`);
    // The value that a handler returns is kept with the run, and the dashboard shows it.
    return { to: payload.to, items: payload.limit };
  },
});

/** A handler without a payload. Each worker runs it at most once at a time. */
export const cleanUp = defineHandler({
  name: 'clean-up',
  concurrency: 1,
  async run({ signal, progress }) {
    for (const [index, table] of ['sessions', 'uploads'].entries()) {
      // The signal aborts on a time-out, on a cancel, and when the worker stops.
      signal.throwIfAborted();
      console.log(`cleaning ${table}`);
      progress({ done: index + 1, of: 2 });
    }
  },
});

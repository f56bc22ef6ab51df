import type { Pool } from 'pg';

let areServersStopping = false;

/**
 * Turns the reports of broken connections off. An interrupted run calls this before it stops its servers, which breaks
 * all connections.
 */
export function expectServersToStop(): void {
  areServersStopping = true;
}

/** Reports each broken connection of the bench's own process in one line. The query in progress fails on its own. */
export function reportConnectionError(error: Error): void {
  if (!areServersStopping) console.error(`A connection of the bench broke: ${error.message}`);
}

/**
 * Ends a pool and waits until each of its connections is closed. `pool.end` resolves before that. If the database were
 * dropped or the server stopped at that moment, each open connection would report that it was terminated.
 */
export async function closePool(pool: Pool): Promise<void> {
  let open = pool.totalCount;
  const areClosed = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => --open === 0 && resolve());
  });
  await pool.end();
  await areClosed;
}

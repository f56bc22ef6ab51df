import { access } from 'node:fs/promises';
import { endLeftovers, homePaths, lockHome } from './home.js';
import { endLeftoverPostgres } from './postgres/leftover.js';
import { StartError } from './start-error.js';

/** Stops the processes of a home whose supervisor was killed. False if the home was never in use, or still is. */
export async function clearAbandonedHome(home: string): Promise<boolean> {
  const paths = homePaths(home);
  try {
    await access(paths.lock);
    const unlock = await lockHome(paths);
    await endLeftovers(paths);
    await endLeftoverPostgres(paths.postgresData);
    await unlock();
    return true;
  } catch (error) {
    if (error instanceof StartError || (error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

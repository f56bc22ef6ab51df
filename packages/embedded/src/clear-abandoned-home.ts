import { access } from 'node:fs/promises';
import { endLeftovers, homePaths, lockHome } from './home.js';
import { endLeftoverPostgres } from './postgres/leftover.js';
import { StartError } from './start-error.js';

/**
 * Stops the processes that a killed supervisor (`npm start`) left running in its data folder. Returns false if there is
 * no lock file of a supervisor, or if that supervisor is still running.
 */
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

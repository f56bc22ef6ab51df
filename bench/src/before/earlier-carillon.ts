import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildCommit, git } from '@carillon/testkit/build-commit';
import type { Contender } from '../contenders/contender.js';
import type { claimInWaves } from '../races/claims.js';
import { EXPORTS_TO_ADD } from './exports-of-928375a.js';

export const DEFAULT_COMMIT = '928375a';
export const BEFORE = 'Carillon before';

/**
 * A build of an earlier commit of Carillon, with the benchmark code of that commit for worker processes, migrations,
 * seeding and checks. So the current benchmark code need not know the tables of that commit.
 */
export interface EarlierCarillon {
  /** The abbreviated hash of the commit. */
  version: string;
  carillon: Contender;
  recurringCarillon: Contender;
  toWebhooks: (url: string) => Contender;
  claimInWaves: typeof claimInWaves;
  remove(): Promise<void>;
}

export async function buildEarlierCarillon(commit: string): Promise<EarlierCarillon> {
  const version = shortNameOf(commit);
  const { folder, remove } = await buildCommit(version, { workspaces: ['bench'], prepare: addExports });
  try {
    const load = (file: string) => import(pathToFileURL(join(folder, 'bench', 'dist', file)).href);
    const { carillon } = await load('contenders/carillon.js');
    const { recurringCarillon } = await load('races/recurring-herd.js');
    const { toWebhooks } = await load('races/webhooks.js');
    const { claimInWaves } = await load('races/claims.js');
    const named = (contender: Contender): Contender => ({ ...contender, name: BEFORE, version });
    return {
      version,
      carillon: named(carillon),
      recurringCarillon: named(recurringCarillon),
      toWebhooks: (url) => named(toWebhooks(url)),
      claimInWaves,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function shortNameOf(commit: string): string {
  try {
    return git('rev-parse', '--short', '--verify', `${commit}^{commit}`).toString().trim();
  } catch {
    throw new Error(`--before ${commit}: this copy of the repository has no such commit`);
  }
}

async function addExports(folder: string): Promise<void> {
  for (const { file, name, lines } of EXPORTS_TO_ADD) {
    const path = join(folder, 'bench', 'src', file);
    const isExported = new RegExp(`^export .*\\b${name}\\b`, 'm').test(await readFile(path, 'utf8'));
    if (!isExported) await appendFile(path, `\n${lines}\n`);
  }
}

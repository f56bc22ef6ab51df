import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCommit, git as gitHere } from '@carillon/testkit/build-commit';

const MIGRATIONS = 'packages/db/migrations';
const JOURNAL = `${MIGRATIONS}/meta/_journal.json`;
const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The commit from which the upgrade test starts: the latest one with fewer migrations whose database the current
 * programs can migrate.
 */
export interface EarlierVersion {
  commit: string;
  /** How many migrations the current programs add to this version. */
  migrationsBehind: number;
}

export interface NoEarlierVersion {
  /** The reason why there is no earlier version. A message quotes it after a colon. */
  missing: string;
}

export interface EarlierBuild {
  api: string;
  worker: string;
  remove(): Promise<void>;
}

interface Repository {
  folder: string;
  git(...args: string[]): Buffer;
}

/** The migrations of a commit: their tags in order, and the text of the first one. */
interface Migrations {
  tags: string[];
  first: string;
}

/**
 * Finds the latest commit whose migrations are the first ones of the working copy, but not all of them. The search ends
 * at a commit with another first migration, because the current programs refuse a database of that commit.
 */
export function findEarlierVersion(
  { folder, git }: Repository = { folder: root, git: gitHere },
): EarlierVersion | NoEarlierVersion {
  const today = readMigrations((path) => readFileSync(join(folder, path), 'utf8'));
  if (today.tags.length < 2) return { missing: 'there is only one migration' };
  try {
    const changes = git('rev-list', '--first-parent', 'HEAD', '--', JOURNAL).toString().trim().split('\n');
    // HEAD comes first: if the latest migration is not committed yet, HEAD has fewer migrations than the working copy.
    for (const revision of ['HEAD', ...changes.map((change) => `${change}^1`)]) {
      const before = readMigrations((path) => git('show', `${revision}:${path}`).toString());
      if (before.first !== today.first) break;
      const migrationsBehind = today.tags.length - before.tags.length;
      const isSame = before.tags.every((tag, index) => tag === today.tags[index]);
      if (migrationsBehind > 0 && isSame)
        return { commit: git('rev-parse', revision).toString().trim(), migrationsBehind };
    }
  } catch {
    return { missing: 'this copy has no history that reaches back before the latest migration' };
  }
  return { missing: 'no commit has fewer migrations and the same first one' };
}

function readMigrations(read: (path: string) => string): Migrations {
  const { entries } = JSON.parse(read(JOURNAL)) as { entries: { tag: string }[] };
  const tags = entries.map(({ tag }) => tag);
  return { tags, first: read(`${MIGRATIONS}/${tags[0]}.sql`) };
}

/** Builds the programs of an earlier version from the repository's own history. */
export async function buildEarlier({ commit }: EarlierVersion): Promise<EarlierBuild> {
  const { folder, remove } = await buildCommit(commit);
  const main = (app: string) => join(folder, 'apps', app, 'dist', 'main.js');
  return { api: main('api'), worker: main('worker'), remove };
}

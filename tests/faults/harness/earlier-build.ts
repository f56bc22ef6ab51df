import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const JOURNAL = 'packages/db/migrations/meta/_journal.json';

export interface EarlierBuild {
  commit: string;
  /** How many migrations today's code has that this one has not. */
  migrationsBehind: number;
  api: string;
  worker: string;
  remove(): Promise<void>;
}

/** Why there is none: a copy without history, or with too little of it. */
export interface NoEarlierBuild {
  missing: string;
}

/** The programs as they were before the latest migration, built from the repository's own history. */
export async function buildEarlier(): Promise<EarlierBuild | NoEarlierBuild> {
  const earlier = findEarlier();
  if ('missing' in earlier) return earlier;
  const folder = await mkdtemp(join(tmpdir(), 'carillon-earlier-'));
  const archive = git('archive', earlier.commit, 'packages', 'apps', 'tsconfig.base.json');
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const workspace of await workspacesIn(folder)) {
    await linkModules(folder, workspace);
    build(join(folder, workspace));
  }
  const main = (app: string) => join(folder, 'apps', app, 'dist', 'main.js');
  return {
    ...earlier,
    api: main('api'),
    worker: main('worker'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });

/** The commit before the one that brought the latest migration. */
function findEarlier(): { commit: string; migrationsBehind: number } | NoEarlierBuild {
  try {
    const changedIn = git('rev-list', '-1', '--first-parent', 'HEAD', '--', JOURNAL).toString().trim();
    const commit = git('rev-parse', '--verify', `${changedIn}^1`).toString().trim();
    const tags = (journal: Buffer) =>
      (JSON.parse(journal.toString()).entries as { tag: string }[]).map(({ tag }) => tag);
    const before = tags(git('show', `${commit}:${JOURNAL}`));
    const today = tags(git('show', `HEAD:${JOURNAL}`));
    const isPrefix = before.every((tag, index) => tag === today[index]);
    if (!isPrefix || before.length === today.length)
      return { missing: 'the migrations before were others, not fewer' };
    return { commit, migrationsBehind: today.length - before.length };
  } catch {
    return { missing: 'this copy has no history that reaches back before the latest migration' };
  }
}

async function workspacesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const group of ['packages', 'apps']) {
    for (const name of await readdir(join(folder, group))) {
      if (existsSync(join(folder, group, name, 'package.json'))) found.push(join(group, name));
    }
  }
  return found;
}

/** Our own packages as they were then; those of others as they are installed now. */
async function linkModules(folder: string, workspace: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, workspace, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
    const link = join(folder, workspace, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    if (name.startsWith('@carillon/')) {
      await symlink(join(folder, 'packages', name.slice('@carillon/'.length)), link);
      continue;
    }
    const installed = join(root, workspace, 'node_modules', name);
    if (existsSync(installed)) await symlink(await realpath(installed), link);
  }
}

/** Types were checked when it was committed: only what runs is made. */
function build(workspace: string): void {
  const project = join(workspace, 'tsconfig.build.json');
  if (!existsSync(project)) return;
  execFileSync(
    join(root, 'node_modules', '.bin', 'tsc'),
    ['-p', project, '--noCheck', '--incremental', 'false', '--declaration', 'false'],
    {
      stdio: 'pipe',
    },
  );
}

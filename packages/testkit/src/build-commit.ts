import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const GROUPS = ['packages', 'apps'];

export interface CommitBuild {
  /** The root of the built repository at that commit. */
  folder: string;
  remove(): Promise<void>;
}

export interface CommitBuildOptions {
  /** Workspaces to build besides those in packages/ and apps/. */
  workspaces?: readonly string[];
  /** Called with the folder before it is built. */
  prepare?: (folder: string) => Promise<void>;
}

/** Builds the programs of an earlier commit in a temporary folder, with the dependencies that are installed now. */
export async function buildCommit(
  commit: string,
  { workspaces = [], prepare = async () => {} }: CommitBuildOptions = {},
): Promise<CommitBuild> {
  const archive = git('archive', commit, ...GROUPS, ...workspaces, 'tsconfig.base.json');
  const folder = await mkdtemp(join(tmpdir(), 'carillon-earlier-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await prepare(folder);
    for (const workspace of [...(await workspacesIn(folder)), ...workspaces]) {
      await linkModules(folder, workspace);
      build(join(folder, workspace));
    }
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Runs git in this repository. If git fails, throws an error with its output. */
export const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: root, maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });

async function workspacesIn(folder: string): Promise<string[]> {
  const workspaces: string[] = [];
  for (const group of GROUPS) {
    for (const name of await readdir(join(folder, group))) {
      if (existsSync(join(folder, group, name, 'package.json'))) workspaces.push(join(group, name));
    }
  }
  return workspaces;
}

/**
 * Links what a workspace of the earlier commit imports: Carillon's own packages as of that commit, and third-party
 * packages as they are installed now.
 */
async function linkModules(folder: string, workspace: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, workspace, 'package.json'), 'utf8'));
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })) {
    const target = name.startsWith('@carillon/')
      ? GROUPS.map((group) => join(folder, group, name.slice('@carillon/'.length))).find(existsSync)
      : await installedModule(workspace, name);
    if (!target) continue;
    const link = join(folder, workspace, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(target, link);
  }
}

/**
 * Finds an installed third-party package. The workspace itself may not depend on the package any more, although it did
 * at the earlier commit. So the packages that other workspaces have installed are searched too.
 */
async function installedModule(workspace: string, name: string): Promise<string | null> {
  const places = [join(workspace, 'node_modules'), join('node_modules', '.pnpm', 'node_modules')];
  const installed = places.map((place) => join(root, place, name)).find(existsSync);
  return installed ? realpath(installed) : null;
}

/** Compiles without a type check, because the types were checked when the code was committed. */
function build(workspace: string): void {
  const project = join(workspace, 'tsconfig.build.json');
  if (!existsSync(project)) return;
  execFileSync(
    join(root, 'node_modules', '.bin', 'tsc'),
    ['-p', project, '--noCheck', '--incremental', 'false', '--declaration', 'false'],
    { stdio: 'pipe' },
  );
}

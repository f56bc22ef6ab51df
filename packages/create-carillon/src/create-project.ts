import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TEMPLATE = fileURLToPath(new URL('../template', import.meta.url));

/** A folder that holds only these files counts as empty: a clone of an empty repository has `.git`. */
const HARMLESS = new Set(['.git', '.DS_Store']);

/** Folders that the checks and tests of this repository leave in the template. */
const NOT_COPIED = new Set(['node_modules', 'dist', '.carillon']);

/** Thrown if the project cannot be created for a reason that the user can remove. The message says how. */
export class CreateError extends Error {
  override name = 'CreateError';
}

/** Copies the template into a new or an empty folder, and names the project after the folder. */
export async function createProject(path: string): Promise<{ folder: string; name: string }> {
  const folder = resolve(path);
  await refuseUsedFolder(folder, path);
  const name = packageNameOf(basename(folder));
  await mkdir(folder, { recursive: true });
  await cp(TEMPLATE, folder, { recursive: true, filter: (source) => !NOT_COPIED.has(basename(source)) });
  // npm leaves a file named .gitignore out of a package, so the template has it under another name.
  await rename(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const manifest = join(folder, 'package.json');
  const text = await readFile(manifest, 'utf8');
  await writeFile(manifest, text.replace('"name": "carillon-app"', `"name": "${name}"`));
  return { folder, name };
}

async function refuseUsedFolder(folder: string, path: string): Promise<void> {
  let files: string[];
  try {
    files = (await readdir(folder)).filter((file) => !HARMLESS.has(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return;
    if (code === 'ENOTDIR') throw new CreateError(`${path} is a file; name a folder that is new or empty`);
    throw new CreateError(`the folder ${path} cannot be read: ${message}`);
  }
  if (files.length === 0) return;
  const some = files.slice(0, 3).join(', ');
  const all = files.length > 3 ? `${some} and ${files.length - 3} more` : some;
  throw new CreateError(`the folder ${path} is not empty (${all}); name a folder that is new or empty`);
}

/** A name that npm accepts: lower case, without spaces, not beginning with a dot. */
export function packageNameOf(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-._]+|-+$/g, '');
  return name === '' ? 'carillon-app' : name.slice(0, 214);
}

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readStaticFiles, type StaticFile } from './static-files.js';

export interface DashboardFiles {
  /** The path of the page, with a slash at both ends. */
  basePath: string;
  page: string;
  byPath: ReadonlyMap<string, StaticFile>;
}

/** The build output of apps/dashboard. The relative path is the same from `src` and from `dist`. */
const BUILT = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

/** Reads the built dashboard into memory, about a megabyte; null if it was not built. */
export function readDashboardFiles(
  basePath: string,
  { folder = BUILT, mountPath = '' }: { folder?: string; mountPath?: string } = {},
): DashboardFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null;
  const files = [...readStaticFiles(folder)].filter(([name]) => name !== 'index.html');
  const byPath = new Map(files.map(([name, file]) => [`${basePath}${name}`, file]));
  // The build uses relative URLs. The base element makes them work on every client route.
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replace(
    '<base href="/"',
    `<base href="${mountPath}${basePath}" data-api="${mountPath}"`,
  );
  return { basePath, page, byPath };
}

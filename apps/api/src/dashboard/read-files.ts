import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the dashboard, with the compressed versions that the build wrote beside it. */
export interface DashboardFile {
  type: string;
  content: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
  isHashed: boolean;
}

export interface DashboardFiles {
  /** The path of the page, with a slash at both ends. */
  basePath: string;
  page: string;
  byPath: ReadonlyMap<string, DashboardFile>;
}

/** The build output of apps/dashboard. The relative path is the same from `src` and from `dist`. */
const BUILT = fileURLToPath(new URL('../../../dashboard/dist', import.meta.url));

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Reads the built dashboard into memory, about a megabyte; null if it was not built. */
export function readDashboardFiles(
  basePath: string,
  { folder = BUILT, mountPath = '' }: { folder?: string; mountPath?: string } = {},
): DashboardFiles | null {
  if (!existsSync(join(folder, 'index.html'))) return null;
  const byPath = new Map<string, DashboardFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = join(folder, name);
    byPath.set(`${basePath}${name.replaceAll('\\', '/')}`, {
      type,
      content: readFileSync(path),
      br: readIfThere(`${path}.br`),
      gzip: readIfThere(`${path}.gz`),
      isHashed: name.startsWith('assets'),
    });
  }
  // The build uses relative URLs. The base element makes them work on every client route.
  const page = readFileSync(join(folder, 'index.html'), 'utf8').replace(
    '<base href="/"',
    `<base href="${mountPath}${basePath}" data-api="${mountPath}"`,
  );
  return { basePath, page, byPath };
}

const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path) : null);

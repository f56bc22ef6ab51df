import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Markdown file of the repository that is a page of the guide. */
export interface SourcePage {
  /** The path in the repository, such as `docs/cookbook/nightly-job.md`. */
  path: string;
  /** The address below `/guide/`, such as `cookbook/nightly-job`. The home page has the address ``. */
  address: string;
  text: string;
}

export const HOME = 'docs/README.md';
/** Besides `docs`, the guide has the documents of the root folder and of these packages. */
const FOLDERS = ['.', 'packages/carillon', 'packages/client', 'packages/recurrence', 'packages/testing'];

/** Reads every page of the guide. */
export function readSourcePages(root: string): SourcePage[] {
  const paths = [
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => join(folder, name).replaceAll('\\', '/')),
    ),
  ];
  return paths
    .filter((path) => path.endsWith('.md'))
    .map((path) => ({ path, address: addressOf(path), text: readFileSync(join(root, path), 'utf8') }));
}

function addressOf(path: string): string {
  if (path === HOME) return '';
  return path
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .replace(/\/README$/, '')
    .toLowerCase();
}

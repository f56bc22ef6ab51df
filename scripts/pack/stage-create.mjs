import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../install.mjs';
import { copyBuilt, isTypes } from './copy-built.mjs';
import { publicFields, readManifest, writeManifest } from './manifest.mjs';

const OWN = 'packages/create-carillon';
/** Folders that the checks and tests of this repository leave in the template. */
const NOT_PUBLISHED = new Set(['node_modules', 'dist', '.carillon']);

/**
 * Prepares the folder of the package behind `npm create carillon` for packing: a command without dependencies, and the
 * template that it copies.
 */
export function stageCreate({ stage }) {
  const from = join(root, OWN);
  const to = join(stage, 'create-carillon');
  mkdirSync(to, { recursive: true });
  copyBuilt(join(from, 'dist'), join(to, 'dist'), { only: (file) => !isTypes(file) });
  cpSync(join(from, 'bin'), join(to, 'bin'), { recursive: true });
  cpSync(join(from, 'template'), join(to, 'template'), {
    recursive: true,
    filter: (source) => !NOT_PUBLISHED.has(basename(source)),
  });
  cpSync(join(from, 'README.md'), join(to, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
  const manifest = readManifest(OWN);
  writeManifest(to, {
    ...publicFields(manifest),
    bin: manifest.bin,
    exports: { './package.json': './package.json' },
  });
  return to;
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../install.mjs';

export const readManifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** The versions that `catalog:` in a package.json refers to. */
const catalog = new Map(
  [
    ...readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').matchAll(
      /^ {2}"?([@\w./-]+)"?: (\d[\w.-]*)$/gm,
    ),
  ].map(([, name, version]) => [name, version]),
);

/**
 * The version range of a dependency in a published package. A pre-release is pinned, because the next one may break
 * anything.
 */
export function rangeOf(name) {
  const version = catalog.get(name);
  if (version === undefined) throw new Error(`pnpm-workspace.yaml has no version of ${name} in its catalog`);
  return version.includes('-') ? version : `^${version}`;
}

export const rangesOf = (names) => Object.fromEntries([...names].sort().map((name) => [name, rangeOf(name)]));

/** The fields that a published package copies from the manifest of its workspace. */
export function publicFields({ name, version, description, keywords, license, engines, sideEffects }) {
  return {
    name,
    version,
    description,
    ...(keywords && { keywords }),
    license,
    type: 'module',
    engines: engines ?? { node: '>=20.19' },
    ...(sideEffects !== undefined && { sideEffects }),
  };
}

export const writeManifest = (folder, manifest) =>
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);

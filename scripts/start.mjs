import { join } from 'node:path';
import { checkNodeVersion, endWithNpm, install, root, run } from './install.mjs';

// `npm start` installs what is missing, builds what has changed, then runs everything until Ctrl-C.
checkNodeVersion();
endWithNpm();
await install();
// The note is printed only if the build takes more than a second, which means that something has to be built.
const note = setTimeout(() => console.log('Building'), 1_000);
const built = await run(
  'turbo',
  ['run', 'build', '--filter=./apps/*', '--filter=carillon', '--output-logs=errors-only'],
  { quiet: true },
);
clearTimeout(note);
if (built !== 0) process.exit(built);

const { supervise } = await import('../packages/embedded/dist/index.js');
const entries = {
  api: join(root, 'apps/api/dist/main.js'),
  worker: join(root, 'apps/worker/dist/main.js'),
};
process.exit(await supervise({ root, entries }));

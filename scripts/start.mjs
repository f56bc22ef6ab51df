import { join } from 'node:path';
import { checkNodeVersion, endWithNpm, install, root, run } from './install.mjs';

// `npm start`: install what is missing, build what has changed, then run everything until Ctrl-C.
checkNodeVersion();
endWithNpm();
await install();
// Printed only if the build takes a moment, which means that there is something to build.
const note = setTimeout(() => console.log('Building'), 1_000);
const built = await run(
  'turbo',
  [
    'run',
    'build',
    '--filter=./apps/*',
    '--filter=@carillon/embedded',
    '--filter=@carillon/client',
    '--output-logs=errors-only',
  ],
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

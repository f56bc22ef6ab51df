import { join } from 'node:path';
import { root } from './install.mjs';

// The commands of the container image. Each command runs the output of `npm run build`, and builds nothing itself.

const COMMANDS = {
  api: () => import('../apps/api/dist/main.js'),
  worker: () => import('../apps/worker/dist/main.js'),
  migrate: () => import('../apps/api/dist/migrate/main.js'),
  all,
  health,
  preflight,
  doctor: runCommandLine,
  restore: runCommandLine,
};

const [, , command = ''] = process.argv;
const run = COMMANDS[command];
if (!run) {
  console.error(`carillon: expected one of ${Object.keys(COMMANDS).join(', ')}, not "${command}"`);
  process.exit(2);
}
await run();

/**
 * Runs a command for operators, such as `doctor`. The imported module reads the name and the options of the command
 * from the arguments of this process.
 */
function runCommandLine() {
  return import('../packages/carillon/dist/cli/main.js');
}

/**
 * Runs the API and `WORKERS` workers in one container, with the embedded servers unless the addresses of other servers
 * are set.
 */
async function all() {
  const { supervise } = await import('../packages/embedded/dist/index.js');
  const entries = {
    api: join(root, 'apps/api/dist/main.js'),
    worker: join(root, 'apps/worker/dist/main.js'),
  };
  process.exit(await supervise({ root, entries }));
}

/** The HEALTHCHECK of the image: exits with 0 if the API or the worker of this container answers. */
async function health() {
  const ports = [process.env.PORT ?? '3000', process.env.WORKER_PORT].filter(Boolean);
  const answers = await Promise.all(
    ports.map((port) =>
      fetch(`http://127.0.0.1:${port}/health/live`, { signal: AbortSignal.timeout(2_000) }).then(
        ({ ok }) => ok,
        () => false,
      ),
    ),
  );
  process.exit(answers.includes(true) ? 0 : 1);
}

/**
 * Reports every setting that is missing or wrong, and exits with 2 if there is one. A job of the Helm chart runs this
 * before anything is installed.
 */
async function preflight() {
  const [api, worker] = await Promise.all([
    import('../apps/api/dist/config.js'),
    import('../apps/worker/dist/config.js'),
  ]);
  const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value?.trim()));
  const problems = new Set(
    [api.readConfig(given), worker.readConfig(given)].flatMap((config) => config.problems ?? []),
  );
  for (const name of ['CARILLON_ADMIN_KEY', 'CARILLON_ENCRYPTION_KEY'])
    if (given[name] === undefined) problems.add(`${name}: is not set`);
  for (const problem of problems) console.error(`carillon preflight: ${problem}`);
  if (problems.size === 0) console.log('carillon preflight: every setting is there');
  process.exit(problems.size === 0 ? 0 : 2);
}

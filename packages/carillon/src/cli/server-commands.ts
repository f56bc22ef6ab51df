import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Command, command } from '@carillon/client/command-line';
import { isNpmScript, setHandlersModule } from '../config.js';

const options = {
  handlers: {
    type: 'string',
    value: '<module>',
    about: 'The module that defines handlers and schedules (CARILLON_HANDLERS)',
  },
} as const;

/** Makes an entry for the help text. The command itself is run by `runServer`. */
const server = (name: string, summary: string, example: string) =>
  command({
    name,
    summary,
    usage: '',
    words: { least: 0, most: 0 },
    options,
    examples: [example],
    run: async () => undefined,
  });

export const serverCommands: readonly Command[] = [
  server(
    'start',
    'Run the API, the dashboard and workers, with an embedded Postgres and Redis unless DATABASE_URL and REDIS_URL are set',
    'carillon start --handlers ./handlers.mjs',
  ),
  server('api', 'Run one API process on DATABASE_URL and REDIS_URL', 'carillon api'),
  server(
    'worker',
    'Run one worker process on DATABASE_URL and REDIS_URL',
    'carillon worker --handlers ./handlers.mjs',
  ),
];

export const isServerCommand = (name: string) => serverCommands.some((each) => each.name === name);

/** The entry points of the API and the worker. Both read their settings from the environment. */
const API = '@carillon/api/main';
const WORKER = '@carillon/worker/main';

const NPM_CHECK_INTERVAL_MS = 200;

/**
 * Stops this server when npm ends. npm starts a script through a shell, and a signal to npm may end the shell without
 * reaching the server.
 */
function stopWithNpm(): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, NPM_CHECK_INTERVAL_MS).unref();
}

export async function runServer(name: string, args: string[]): Promise<void> {
  if (isNpmScript()) stopWithNpm();
  const { values } = parseArgs({ args, options: { handlers: { type: 'string' } } });
  if (values.handlers !== undefined) setHandlersModule(values.handlers);
  if (name === 'api') await import(API);
  else if (name === 'worker') await import(WORKER);
  else {
    const { supervise } = await import('@carillon/embedded');
    const pathOf = (program: string) => fileURLToPath(import.meta.resolve(program));
    process.exit(
      await supervise({ root: process.cwd(), entries: { api: pathOf(API), worker: pathOf(WORKER) } }),
    );
  }
}

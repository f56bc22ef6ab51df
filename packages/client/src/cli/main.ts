import { createRequire } from 'node:module';
import { carillonCommand } from './commands/index.js';
import { wantsColour } from './config.js';
import { dispatch } from './dispatch.js';
import { coloured, plain } from './terminal.js';

const { stdout, stderr, env, argv } = process;
const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const isTty = stdout.isTTY === true && stderr.isTTY === true;

/** What listens to the signal ends by itself, and well; whatever else is under way is not waited for. */
const PATIENCE_MS = 200;
const interrupted = new AbortController();
const interrupt = (exitCode: number) => {
  interrupted.abort();
  setTimeout(() => process.exit(exitCode), PATIENCE_MS).unref();
};
process.once('SIGINT', () => interrupt(130));
process.once('SIGTERM', () => interrupt(143));

// Whoever reads us, `head` for one, may have had enough.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await dispatch(carillonCommand, argv.slice(2), {
  terminal: {
    out: (text) => stdout.write(text),
    note: (text) => stderr.write(text),
    style: wantsColour(env, isTty) ? coloured : plain,
    columns: isTty ? stdout.columns : null,
    signal: interrupted.signal,
  },
  env,
  version,
});

import { carillonCommand } from './commands/index.js';
import { wantsColour } from './config.js';
import { dispatch } from './dispatch.js';
import { coloured, plain } from './terminal.js';

const { stdout, stderr, env, argv } = process;
const isTty = stdout.isTTY === true;
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
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
});

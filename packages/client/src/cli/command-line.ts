import { carillonCommand } from './commands/index.js';
import { wantsColour } from './config.js';
import { dispatch } from './dispatch.js';
import { coloured, plain } from './terminal.js';

export { type Command, command, type Group, group, type Output } from './command.js';
export { completion } from './commands/completion.js';
export { EXIT } from './exit-code.js';
export { table } from './table.js';
export type { Terminal } from './terminal.js';
export { carillonCommand };

/** After SIGINT or SIGTERM a command has this long to finish on its own. Then the process ends. */
const EXIT_DELAY_MS = 200;

/** Executes the command line of this process and sets its exit code. */
export async function runCommandLine(
  { stdout, stderr, env, argv }: NodeJS.Process,
  { root = carillonCommand, version }: { root?: typeof carillonCommand; version: string },
): Promise<void> {
  const isTty = stdout.isTTY === true && stderr.isTTY === true;
  const interrupted = new AbortController();
  const interrupt = (exitCode: number) => {
    interrupted.abort();
    setTimeout(() => process.exit(exitCode), EXIT_DELAY_MS).unref();
  };
  process.once('SIGINT', () => interrupt(130));
  process.once('SIGTERM', () => interrupt(143));
  // The reader of a pipe, such as `head`, may close it early.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  process.exitCode = await dispatch(root, argv.slice(2), {
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
}

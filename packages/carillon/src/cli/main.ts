import { createRequire } from 'node:module';
import { runCommandLine } from '@carillon/client/command-line';
import { rootCommand } from './root-command.js';
import { isServerCommand, runServer } from './server-commands.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
const [name = '', ...args] = process.argv.slice(2);

// `runCommandLine` does not run server commands: they handle signals themselves, and their process ends when the
// shutdown is complete. With --help nothing is served, so the command line prints the help.
if (isServerCommand(name) && !args.some((word) => word === '--help' || word === '-h')) runServer(name, args);
else await runCommandLine(process, { version, root: rootCommand });

import { createRequire } from 'node:module';
import { runCommandLine } from './command-line.js';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

await runCommandLine(process, { version });

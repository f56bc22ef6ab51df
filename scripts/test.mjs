import { checkNodeVersion, install, run } from './install.mjs';

// `npm test`: install what is missing, then exactly what CI runs.
checkNodeVersion();
await install();
process.exit(await run('pnpm', ['run', '--silent', 'check']));

import { checkNodeVersion, endWithNpm, install, run } from './install.mjs';

// `npm test`: install what is missing, then exactly what CI runs.
checkNodeVersion();
endWithNpm();
await install();
process.exit(await run(process.execPath, ['scripts/check.mjs']));

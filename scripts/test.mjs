import { checkNodeVersion, endWithNpm, install, run } from './install.mjs';

// `npm test` installs what is missing, then runs exactly what CI runs.
checkNodeVersion();
endWithNpm();
await install();
process.exit(await run(process.execPath, ['scripts/check.mjs']));

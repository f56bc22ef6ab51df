#!/usr/bin/env node
// This file is not part of the build, because pnpm links a command only if its file exists at the time of the install.
try {
  await import('../dist/cli/main.js');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write(
    'carillon is not built yet: run `npm start` once, or `npx turbo run build --filter=carillon`\n',
  );
  process.exitCode = 1;
}

#!/usr/bin/env node
// This file is committed instead of built: pnpm links the command at the install, before the first build, and only if
// the file exists.
try {
  await import('../dist/cli/main.js');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write(
    'carillon is not built yet: run `npm start` once, or `npx turbo run build --filter=carillon`\n',
  );
  process.exitCode = 1;
}

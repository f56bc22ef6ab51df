#!/usr/bin/env node
// The command is a file of its own and not part of the build, because pnpm links a command only if its file exists when
// it installs.
try {
  await import('../dist/cli/main.js');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  process.stderr.write(
    'carillon is not built yet: run `npm start` once, or `npx turbo run build --filter=carillon`\n',
  );
  process.exitCode = 1;
}

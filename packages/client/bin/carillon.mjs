#!/usr/bin/env node
// This file is committed instead of built: pnpm links the command at the install, before the first build, and only if
// the file exists.
try {
  await import('@carillon/client/cli');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const how = 'run `npm start` once, or `npx turbo run build --filter=@carillon/client`';
  process.stderr.write(`carillon is not built yet: ${how}\n`);
  process.exitCode = 1;
}

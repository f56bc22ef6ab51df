#!/usr/bin/env node
// This file is not part of the build, because pnpm links a command only if its file exists at the time of the install.
try {
  await import('@carillon/client/cli');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const how = 'run `npm start` once, or `npx turbo run build --filter=@carillon/client`';
  process.stderr.write(`carillon is not built yet: ${how}\n`);
  process.exitCode = 1;
}

#!/usr/bin/env node
// A file of its own, and not the build: pnpm links a command only where its file exists when it installs.
try {
  await import('@carillon/client/cli');
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  const how = 'run `npm start` once, or `npx turbo run build --filter=@carillon/client`';
  process.stderr.write(`carillon is not built yet: ${how}\n`);
  process.exitCode = 1;
}

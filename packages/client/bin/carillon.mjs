#!/usr/bin/env node
// A file of its own, and not the build: pnpm links a command only where its file exists when it installs.
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  const how = 'run `npm start` once, or `npx turbo run build --filter=@carillon/client`';
  process.stderr.write(`carillon is not built yet: ${how}\n`);
  process.exitCode = 1;
}

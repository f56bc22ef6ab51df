import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeApi } from './describe-api.js';

const FILE = fileURLToPath(new URL('../../openapi.json', import.meta.url));

const text = `${JSON.stringify(await describeApi(), null, 2)}\n`;
if (!process.argv.includes('--check')) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, 'utf8') !== text) {
  process.stderr.write(
    'openapi.json does not match the routes. Run `pnpm --filter @carillon/api openapi`.\n',
  );
  process.exitCode = 1;
}

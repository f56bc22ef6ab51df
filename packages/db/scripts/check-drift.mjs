// Fails if the schema in the code has a change for which no migration exists. To find out, the script lets drizzle-kit
// generate migrations into a copy of the folder, and checks whether there is a new one.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const copy = mkdtempSync(join(import.meta.dirname, '../.drift-'));
try {
  cpSync(join(import.meta.dirname, '../migrations'), copy, { recursive: true });
  const before = readdirSync(copy).length;
  execFileSync(
    'drizzle-kit',
    [
      'generate',
      '--dialect',
      'postgresql',
      '--schema',
      './dist/schema/index.js',
      '--out',
      copy.split('/').at(-1),
    ],
    { cwd: join(import.meta.dirname, '..'), stdio: 'pipe' },
  );
  if (readdirSync(copy).length !== before) {
    console.error(
      'The schema has changed since the last migration: run `pnpm --filter @carillon/db generate`.',
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

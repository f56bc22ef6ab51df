import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFile(`${root}/${path}`, 'utf8').catch(() => '');

/** Returns how many tests a page names, in the form `file`: "name", and which of them do not exist. */
async function missingTests(page: string): Promise<{ named: number; missing: string[] }> {
  const matches = [...(await read(page)).matchAll(/`([^`]+\.test\.ts)`: "([^"]+)"/g)];
  const missing: string[] = [];
  for (const [, file = '', name = ''] of matches) {
    const text = await read(file);
    const isThere = ["'", '"', '`'].some((quote) => text.includes(quote + name + quote));
    if (!isThere) missing.push(`${file}: ${name}`);
  }
  return { named: matches.length, missing };
}

describe('Documents', () => {
  it('every test that docs/requirements.md names exists in the named file', async () => {
    const { named, missing } = await missingTests('docs/requirements.md');
    expect(named).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('every test that docs/reliability.md names as the proof of a guard exists in the named file', async () => {
    const { named, missing } = await missingTests('docs/reliability.md');
    expect(named).toBeGreaterThan(15);
    expect(missing).toEqual([]);
  });

  it('every file that docs/architecture.md and docs/state-machine.md name exists', async () => {
    const pages = (await read('docs/architecture.md')) + (await read('docs/state-machine.md'));
    const paths = [...pages.matchAll(/`((?:apps|packages|tests|bench)\/[\w./-]+\.\w+)`/g)].map(
      ([, path = '']) => path,
    );
    expect(paths.length).toBeGreaterThan(15);
    const missing = [];
    for (const path of new Set(paths)) if ((await read(path)) === '') missing.push(path);
    expect(missing).toEqual([]);
  });

  it('every behaviour in docs/requirements.md names a test, or says why it has none', async () => {
    const page = await read('docs/requirements.md');
    const lines = page.split('\n').filter((line) => line.startsWith('- '));
    const bare = lines.filter(
      (line) =>
        !/\.test\.ts`: "|^- \*Not carried over:|pnpm bench|in the migration|operators watch/.test(line),
    );
    expect(bare).toEqual([]);
  });
});

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFile(`${root}/${path}`, 'utf8').catch(() => '');

describe('The list of what was asked for', () => {
  it('names tests that are there', async () => {
    const page = await read('docs/requirements.md');
    const named = [...page.matchAll(/`([^`]+\.test\.ts)`: "([^"]+)"/g)].map(([, file = '', name = '']) => ({
      file,
      name,
    }));
    expect(named.length).toBeGreaterThan(100);
    const missing = [];
    for (const { file, name } of named) {
      const text = await read(file);
      const isThere = ["'", '"', '`'].some((quote) => text.includes(quote + name + quote));
      if (!isThere) missing.push({ file, name });
    }
    expect(missing).toEqual([]);
  });

  it('has for every behaviour a test, or why there is none', async () => {
    const page = await read('docs/requirements.md');
    const lines = page.split('\n').filter((line) => line.startsWith('- '));
    const bare = lines.filter(
      (line) =>
        !/\.test\.ts`: "|^- \*Not carried over:|pnpm bench|in the migration|operators watch/.test(line),
    );
    expect(bare).toEqual([]);
  });
});

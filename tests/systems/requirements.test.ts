import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
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

/**
 * Returns the files that a page names in backticks. A name without a folder counts only if it has the extension of a
 * source file.
 */
function filesNamedIn(page: string): Set<string> {
  const words = [...page.matchAll(/`([\w@./-]+)`/g)].map(([, word = '']) => word);
  return new Set(
    words.filter((word) => /\.(tsx?|mjs)$|\/.*\.(jsx?|json|sql|ya?ml|md|css|sh|grit)$/.test(word)),
  );
}

describe('Documents', () => {
  it('every test that docs/requirements.md names exists in the named file', async () => {
    const { named, missing } = await missingTests('docs/requirements.md');
    expect(named).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('every test that docs/reliability.md names exists in the named file', async () => {
    const { named, missing } = await missingTests('docs/reliability.md');
    expect(named).toBeGreaterThan(15);
    expect(missing).toEqual([]);
  });

  it('every file that docs/architecture.md, reliability.md, state-machine.md and decisions/ name exists, in the repository or in packages/db/src', async () => {
    const decisions = (await readdir(`${root}/docs/decisions`)).map((name) => `docs/decisions/${name}`);
    const pages = ['docs/architecture.md', 'docs/reliability.md', 'docs/state-machine.md', ...decisions];
    const missing: string[] = [];
    let named = 0;
    for (const page of pages) {
      for (const path of filesNamedIn(await read(page))) {
        named++;
        if (!existsSync(`${root}/${path}`) && !existsSync(`${root}/packages/db/src/${path}`))
          missing.push(`${page}: ${path}`);
      }
    }
    expect(named).toBeGreaterThan(100);
    expect(missing).toEqual([]);
  });

  it('docs/architecture.md states the correct number of files in its reading path, for a handler and for a webhook', async () => {
    const page = await read('docs/architecture.md');
    const section = page.split('## Reading path')[1]?.split('\n## ')[0] ?? '';
    const rows = section.split('\n').filter((line) => /^\| \d+ \|/.test(line)).length;
    const webhookOnly = section.split('For a webhook, read four files')[1]?.split('\n\n')[0] ?? '';
    const { size } = filesNamedIn(webhookOnly);
    expect(size).toBe(4);
    expect(section).toContain(`${rows} for a handler, ${rows - 1 + size} for a webhook`);
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

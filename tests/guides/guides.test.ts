import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readSteps, unusedFiles } from './read-steps.js';
import { useGuides } from './use-guides.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const TUTORIAL = 'docs/tutorial.md';
const pages = [
  TUTORIAL,
  'docs/concepts.md',
  'docs/comparison.md',
  ...['library', 'testing', 'deliveries', 'foresight', 'alerts', 'retention'].map(
    (name) => `docs/${name}.md`,
  ),
  'packages/recurrence/README.md',
  ...readdirSync(join(root, 'docs/cookbook')).map((name) => `docs/cookbook/${name}`),
].map((path) => ({
  path,
  name: path.replace(/\W+/g, '-').replace(/-md$/, ''),
  steps: readSteps(path, readFileSync(join(root, path), 'utf8')),
}));

const guides = useGuides();

describe('Guides', () => {
  it.each(pages)(
    'every file that the guide $path shows is used by a command or by another file',
    ({ steps }) => {
      expect(unusedFiles(steps)).toEqual([]);
    },
  );

  it.each(pages)(
    'the steps of the guide $path, followed from top to bottom, give the output that the page shows',
    { timeout: 180_000 },
    ({ path, name, steps }) => guides.follow(name, steps, { isFromNothing: path === TUTORIAL }),
  );

  // This test comes last, because it reads the files that the tests of the guides have written.
  it('the TypeScript of all guides passes a strict type check', async () => {
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2023',
      module: 'nodenext',
      skipLibCheck: true,
      types: ['node'],
      allowImportingTsExtensions: true,
      erasableSyntaxOnly: true,
      verbatimModuleSyntax: true,
    };
    await writeFile(join(guides.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const tsc = join(root, 'node_modules', '.bin', 'tsc');
    const { stdout } = await promisify(execFile)(tsc, ['-p', guides.folder]).catch((error) => error);
    expect(stdout).toBe('');
  });
});

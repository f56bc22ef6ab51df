import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { statement } from './statement.js';

it('a name can’t stand for two prepared statements: the second text throws, and the same text is accepted', () => {
  statement('test-one-name', 'select 1');
  expect(() => statement('test-one-name', 'select 1')).not.toThrow();
  expect(() => statement('test-one-name', 'select 2')).toThrow(
    'two prepared statements have the name test-one-name; give one of them another name',
  );
});

it('every module of packages/db can be loaded together, so no two prepared statements share a name', async () => {
  const files = await readdir(import.meta.dirname, { recursive: true });
  const modules = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  expect(modules.length).toBeGreaterThan(100);
  for (const module of modules) await import(`${import.meta.dirname}/${module}`);
});

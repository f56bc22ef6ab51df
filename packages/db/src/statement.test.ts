import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { statement } from './statement.js';

it('defining a prepared statement throws an error if its name is used by a statement with another text', () => {
  statement('test-one-name', 'select 1');
  expect(() => statement('test-one-name', 'select 1')).not.toThrow();
  expect(() => statement('test-one-name', 'select 2')).toThrow(
    'two prepared statements have the name test-one-name; give one of them another name',
  );
});

it('all modules of packages/db can be loaded together, so no two different prepared statements have the same name', async () => {
  const files = await readdir(import.meta.dirname, { recursive: true });
  const modules = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  expect(modules.length).toBeGreaterThan(100);
  for (const module of modules) await import(`${import.meta.dirname}/${module}`);
});

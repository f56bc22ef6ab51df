import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rootCommand } from './root-command.js';

it('the help and the shell completion of the package carillon list doctor and the server commands', async () => {
  const names = rootCommand.commands.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['start', 'api', 'worker', 'doctor', 'schedules']));
  expect(names.filter((name) => name === 'completion')).toHaveLength(1);
  const completion = rootCommand.commands.find(({ name }) => name === 'completion');
  if (completion?.kind !== 'command') throw new Error('there is no completion');
  const output = await completion.run({ values: {}, positionals: ['bash'], isJson: false } as never);
  expect(output?.text).toContain('"carillon doctor") words="--strict');
});

it('the command line of the package carillon loads no server code before a command needs it', () => {
  expect(packagesLoadedBy(new URL('./main.ts', import.meta.url))).toEqual(
    new Set(['@carillon/client/command-line']),
  );
});

/** The packages that a source file imports statically, itself or by other files of its package. Types do not count. */
function packagesLoadedBy(file: URL, seen = new Set<string>()): Set<string> {
  if (seen.has(file.href)) return new Set();
  seen.add(file.href);
  const imports = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type )(?:[^;']+ from )?'([^']+)';/gm,
  );
  const names = [...imports].map(([, name]) => name as string).filter((name) => !name.startsWith('node:'));
  return new Set(
    names.flatMap((name) =>
      name.startsWith('.')
        ? [...packagesLoadedBy(new URL(name.replace(/\.js$/, '.ts'), file), seen)]
        : [name],
    ),
  );
}

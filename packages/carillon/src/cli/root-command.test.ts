import { expect, it } from 'vitest';
import { rootCommand } from './root-command.js';

it('the command of the package carillon and its shell completion include doctor, the server commands and the commands of the client', async () => {
  const names = rootCommand.commands.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['start', 'api', 'worker', 'doctor', 'schedules']));
  expect(names.filter((name) => name === 'completion')).toHaveLength(1);
  const completion = rootCommand.commands.find(({ name }) => name === 'completion');
  if (completion?.kind !== 'command') throw new Error('there is no completion');
  const output = await completion.run({ values: {}, positionals: ['bash'], isJson: false } as never);
  expect(output?.text).toContain('"carillon doctor") words="--strict');
});

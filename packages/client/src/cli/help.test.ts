import { describe, expect, it } from 'vitest';
import type { Command, Group } from './command.js';
import { carillonCommand } from './commands/index.js';
import { helpFor } from './help.js';
import { findCommand, readLine } from './read-line.js';
import { plain } from './terminal.js';

/** Every command and group, with the words that lead to it. */
function* tree(node: Command | Group, path: string[] = [node.name]): Generator<[string, Command | Group]> {
  yield [path.join(' '), node];
  if (node.kind === 'command') return;
  for (const each of node.commands) yield* tree(each, [...path, each.name]);
}
const all = [...tree(carillonCommand)];

/** The words of an example, split as a shell would split them. */
function wordsOf(example: string): string[] {
  const ours = /carillon (.*)/.exec(example)?.[1]?.split(/ \| |\)$/)[0] ?? '';
  return [...ours.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}

describe('Help', () => {
  it.each(all)('the help of %s has a usage line and examples', (path, node) => {
    const help = helpFor(node, path.split(' '), plain);
    expect(help).toContain(`Usage\n  ${path}`);
    expect(node.examples.length).toBeGreaterThan(0);
    const parts = node.kind === 'group' ? node.commands : [];
    for (const { name, summary } of parts) expect(help).toMatch(new RegExp(`${name} +${summary}`));
  });

  it.each([
    ['--url', ['CARILLON_URL', '.carillon/api.url', 'http://127.0.0.1:3000']],
    ['--key', ['CARILLON_KEY', '.carillon/admin.key']],
  ])('the help names every source of the default of %s', (option, sources) => {
    const help = helpFor(carillonCommand, [carillonCommand.name], plain);
    const line = help.split('\n').find((each) => each.trim().startsWith(option));
    for (const source of sources) expect(line).toContain(source);
  });

  it.each(all.flatMap(([, { examples }]) => examples))(
    'the help shows only valid command lines as examples, such as %s',
    (example) => {
      const { node, rest } = findCommand(carillonCommand, wordsOf(example));
      if (node.kind === 'group') throw new Error(`${example} names no command`);
      expect(() => readLine(node, rest)).not.toThrow();
    },
  );
});

import { parseArgs } from 'node:util';
import type { Command, Group, Invocation, Options } from './command.js';
import { GLOBAL_OPTIONS } from './help.js';
import { UsageError } from './usage-error.js';

export interface Found {
  node: Command | Group;
  path: string[];
  /** What is left to be read as options and words. */
  rest: string[];
}

/** Goes down the tree by the leading words. Options for all commands may stand before them. */
export function findCommand(root: Group, args: readonly string[]): Found {
  const { tokens } = parseArgs({
    args: [...args],
    options: GLOBAL_OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const found: Found = { node: root, path: [root.name], rest: [...args] };
  const taken = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== 'positional' || found.node.kind === 'command') continue;
    const next = found.node.commands.find(({ name }) => name === token.value);
    if (!next) break;
    found.node = next;
    found.path.push(next.name);
    taken.add(token.index);
  }
  found.rest = args.filter((_, i) => !taken.has(i));
  return found;
}

/** Reads what follows the name of a command. */
export function readLine(
  command: Command,
  args: readonly string[],
): { values: Invocation['values']; positionals: string[] } {
  const options: Options = { ...command.options, ...GLOBAL_OPTIONS };
  const { values, positionals } = parse([...args], options);
  requireWords(command, positionals);
  // By the very options that the command has declared.
  return { values: values as Invocation['values'], positionals };
}

function parse(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function requireWords({ words, usage }: Command, { length }: readonly string[]): void {
  if (length < words.least) throw new UsageError(`something is missing; expected ${usage}`);
  if (length > words.most) throw new UsageError(`that is too much; expected ${usage || 'nothing more'}`);
}

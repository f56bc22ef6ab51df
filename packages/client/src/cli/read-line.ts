import { parseArgs } from 'node:util';
import type { Command, Group, Invocation, Options } from './command.js';
import { GLOBAL_OPTIONS } from './help.js';
import { UsageError } from './usage-error.js';

export interface FoundCommand {
  node: Command | Group;
  path: string[];
  /** The remaining options and arguments. */
  rest: string[];
}

/** Finds the command that the leading words of a command line select. Global options may come before them. */
export function findCommand(root: Group, args: readonly string[]): FoundCommand {
  const { tokens } = parseArgs({
    args: [...args],
    options: GLOBAL_OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const command: FoundCommand = { node: root, path: [root.name], rest: [...args] };
  const taken = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== 'positional' || command.node.kind === 'command') continue;
    const next = command.node.commands.find(({ name }) => name === token.value);
    if (!next) break;
    command.node = next;
    command.path.push(next.name);
    taken.add(token.index);
  }
  command.rest = args.filter((_, i) => !taken.has(i));
  return command;
}

/** Parses the options and arguments of a command. */
export function readLine(
  command: Command,
  args: readonly string[],
): { values: Invocation['values']; positionals: string[] } {
  const options: Options = { ...command.options, ...GLOBAL_OPTIONS };
  const { values, positionals } = parse([...args], options);
  requireWords(command, positionals);
  // The cast is safe, because parseArgs was given the options that the command declares.
  return { values: values as Invocation['values'], positionals };
}

function parse(args: string[], options: Options) {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function requireWords({ words, usage }: Command, positionals: readonly string[]): void {
  if (positionals.length < words.least) throw new UsageError(`missing argument; expected ${usage}`);
  if (positionals.length <= words.most) return;
  const takes = words.most === 0 ? 'this command takes none' : `expected ${usage}`;
  throw new UsageError(`unexpected argument "${positionals[words.most]}"; ${takes}`);
}

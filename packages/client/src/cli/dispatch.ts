import { Carillon } from '../carillon.js';
import type { Command, Group, Output } from './command.js';
import { connectionOf, type Environment } from './config.js';
import { EXIT, exitCodeOf, explainError } from './exit-code.js';
import { helpFor } from './help.js';
import { type FoundCommand, findCommand, readLine } from './read-line.js';
import { plain, type Terminal } from './terminal.js';
import { UsageError } from './usage-error.js';

/** Fewer retries than the default of the client, because a person waits for the result. */
const MAX_RETRIES = 2;

/** Executes a command line and returns the exit code. */
export async function dispatch(
  root: Group,
  args: readonly string[],
  { terminal: given, env, version }: { terminal: Terminal; env: Environment; version: string },
): Promise<number> {
  if (args[0] === '--version') {
    given.out(`${version}\n`);
    return EXIT.ok;
  }
  const terminal = args.includes('--no-color') ? { ...given, style: plain } : given;
  const command = findCommand(root, args);
  try {
    if (args.includes('--help') || args.includes('-h')) {
      terminal.out(`${helpFor(command.node, command.path, terminal.style)}\n`);
      return EXIT.ok;
    }
    if (command.node.kind === 'group') return showGroup(command.node, command, terminal);
    return await run(command.node, command.rest, { terminal, env });
  } catch (error) {
    if (terminal.signal.aborted) return EXIT.ok;
    terminal.note(`${terminal.style('red', 'carillon:')} ${explainError(error)}\n`);
    if (error instanceof UsageError) terminal.note(`See: ${command.path.join(' ')} --help\n`);
    const { node } = command;
    return (node.kind === 'command' ? node.errorExitCode : undefined) ?? exitCodeOf(error);
  }
}

async function run(
  command: Command,
  args: string[],
  { terminal, env }: { terminal: Terminal; env: Environment },
): Promise<number> {
  const { values, positionals } = readLine(command, args);
  const { url, key, json } = values as { url?: string; key?: string; json?: boolean };
  let client: Carillon | null = null;
  const output = await command.run({
    values,
    positionals,
    terminal,
    env,
    isJson: json === true,
    // The client is created on first use, because a command that does not call the API needs no key.
    get client() {
      client ??= new Carillon({ ...connectionOf(env, { url, key }), maxRetries: MAX_RETRIES });
      return client;
    },
  });
  if (output) print(output, terminal, json === true);
  return output?.exitCode ?? EXIT.ok;
}

function print({ json, text, notes = [] }: Output, terminal: Terminal, isJson: boolean): void {
  terminal.out(isJson ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`);
  for (const note of notes) terminal.note(`${terminal.style('dim', note)}\n`);
}

function showGroup(group: Group, { path, rest }: FoundCommand, terminal: Terminal): number {
  const typed = rest.find((word) => !word.startsWith('-'));
  const name = path.join(' ');
  if (typed === undefined) {
    terminal.note(`${helpFor(group, path, terminal.style)}\n`);
    return EXIT.usage;
  }
  const near = group.commands.find((each) => each.name.startsWith(typed) || typed.startsWith(each.name));
  const names = group.commands.map((each) => each.name).join(', ');
  const advice = near ? `did you mean ${name} ${near.name}?` : `the commands are ${names}`;
  throw new UsageError(`there is no ${name} ${typed}; ${advice}`);
}

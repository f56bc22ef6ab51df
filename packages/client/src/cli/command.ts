import type { Carillon } from '../carillon.js';
import type { Environment } from './config.js';
import type { Terminal } from './terminal.js';

/** An option of a command, for `parseArgs` and for the help text. */
export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  /** The placeholder of the value in the help text: `<time>`. */
  value?: string;
  about: string;
}

export type Options = Readonly<Record<string, Option>>;

export type Values<O extends Options> = {
  [Name in keyof O]?: O[Name]['type'] extends 'boolean'
    ? boolean
    : O[Name]['multiple'] extends true
      ? string[]
      : string;
};

/** The parsed command line, and the client and terminal that a command uses. */
export interface Invocation<O extends Options = Options> {
  values: Values<O>;
  positionals: string[];
  client: Carillon;
  terminal: Terminal;
  env: Environment;
  isJson: boolean;
}

/** The output of a command, as JSON and as text. */
export interface Output {
  json: unknown;
  text: string;
  /** Notes on stderr. */
  notes?: readonly string[];
  exitCode?: number;
}

export interface Command {
  kind: 'command';
  name: string;
  summary: string;
  /** The arguments after the name in the help text, such as `<id>…`. */
  usage: string;
  /** The exit code of every error, for commands whose other exit codes have a meaning in CI. */
  errorExitCode?: number;
  /** The minimum and the maximum number of positional arguments. */
  words: { least: number; most: number };
  details?: string;
  options: Options;
  examples: readonly string[];
  run(invocation: Invocation): Promise<Output | undefined>;
}

export interface Group {
  kind: 'group';
  name: string;
  summary: string;
  details?: string;
  commands: readonly (Command | Group)[];
  examples: readonly string[];
}

/** Defines a command whose `run` has typed options. */
export function command<const O extends Options>(
  definition: Omit<Command, 'kind' | 'run' | 'options'> & {
    options: O;
    run(invocation: Invocation<O>): Promise<Output | undefined>;
  },
): Command {
  // The cast is safe, because parseArgs produces the values from the same options.
  return { kind: 'command', ...definition, run: definition.run as unknown as Command['run'] };
}

export const group = (definition: Omit<Group, 'kind'>): Group => ({ kind: 'group', ...definition });

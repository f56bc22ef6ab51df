import type { Carillon } from '../carillon.js';
import type { Terminal } from './terminal.js';

/** An option of a command, as `parseArgs` takes it and as help shows it. */
export interface Option {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  /** What stands for the value in help: `<time>`. */
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

/** What was typed, and what there is to work with. */
export interface Invocation<O extends Options = Options> {
  values: Values<O>;
  positionals: string[];
  client: Carillon;
  terminal: Terminal;
  isJson: boolean;
}

/** What a command has to say: to a program, and to a person. */
export interface Output {
  json: unknown;
  text: string;
  /** Remarks, which are not what was asked for. */
  notes?: readonly string[];
  exitCode?: number;
}

export interface Command {
  kind: 'command';
  name: string;
  summary: string;
  /** What follows the name: `<id>…`. */
  usage: string;
  /** How many words follow the options. */
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

/** A command whose `run` knows the types of its options. */
export function command<const O extends Options>(
  definition: Omit<Command, 'kind' | 'run' | 'options'> & {
    options: O;
    run(invocation: Invocation<O>): Promise<Output | undefined>;
  },
): Command {
  // The values come from parseArgs, which was given these very options.
  return { kind: 'command', ...definition, run: definition.run as unknown as Command['run'] };
}

export const group = (definition: Omit<Group, 'kind'>): Group => ({ kind: 'group', ...definition });

import type { Carillon } from '../carillon.js';
import type { Pages } from '../pages.js';
import type { TargetInput } from '../types/target.js';
import { type Command, command, type Output } from './command.js';
import { eachId } from './each-id.js';
import { LIST_OPTIONS, moreNote, pageQuery, readList } from './list-options.js';
import { readTarget, TARGET_FORMS } from './read-target.js';
import { readObject } from './schedule-options.js';
import { type Cell, fields, table } from './table.js';
import { UsageError } from './usage-error.js';

type PageQuery = ReturnType<typeof pageQuery>;

/** The option `--file` of the commands that create or update tasks, reminders and other resources. */
export const FILE_OPTION = {
  type: 'string',
  short: 'f',
  value: '<path>',
  about: 'read the fields from a JSON file; - is standard input',
} as const;
export const TARGET_OPTION = {
  type: 'string',
  value: '<target>',
  about: `where to deliver: ${TARGET_FORMS}`,
} as const;

/** Builds the command `ls` of one kind of resource, such as `carillon users ls`. */
export function listCommand<T>(
  plural: string,
  {
    titles,
    row,
    list,
  }: {
    titles: readonly string[];
    row: (item: T) => readonly Cell[];
    list: (client: Carillon, query: PageQuery) => Pages<T>;
  },
): Command {
  return command({
    name: 'ls',
    summary: `List ${plural}`,
    usage: '',
    words: { least: 0, most: 0 },
    options: LIST_OPTIONS,
    examples: [`carillon ${plural} ls`, `carillon ${plural} ls --all --json`],
    async run({ values, client, terminal }): Promise<Output> {
      const page = await readList(list(client, pageQuery(values)), values);
      const text = page.items.length === 0 ? `No ${plural}.` : table(titles, page.items.map(row), terminal);
      return { json: page, text, notes: moreNote(page) };
    },
  });
}

/** Builds the command `show` of one kind of resource. */
export function showCommand<T>(
  plural: string,
  {
    argument,
    example,
    get,
    show,
  }: {
    argument: string;
    example: string;
    get: (client: Carillon, id: string) => Promise<T>;
    show: (item: T) => readonly (readonly [string, Cell | null])[];
  },
): Command {
  return command({
    name: 'show',
    summary: `Show one of the ${plural}`,
    usage: argument,
    words: { least: 1, most: 1 },
    options: {},
    examples: [`carillon ${plural} show ${example}`],
    async run({ positionals, client, terminal }): Promise<Output> {
      const item = await get(client, positionals[0] ?? '');
      return { json: item, text: fields(show(item), terminal.style) };
    },
  });
}

/** Builds the command `delete` of one kind of resource, or `cancel` for reminders. */
export function deleteCommand(
  plural: string,
  {
    argument,
    example,
    name = 'delete',
    summary,
    remove,
  }: {
    argument: string;
    example: string;
    name?: string;
    summary: string;
    remove: (client: Carillon, id: string) => Promise<unknown>;
  },
): Command {
  const done = name === 'cancel' ? 'cancelled' : 'deleted';
  return command({
    name,
    summary,
    usage: `${argument}…`,
    words: { least: 1, most: 1_000 },
    options: {},
    examples: [`carillon ${plural} ${name} ${example}`],
    run: ({ positionals, client }) =>
      eachId(
        positionals,
        async (id) => ({ id, answer: await remove(client, id) }),
        ({ id }) => `${id} is ${done}`,
      ),
  });
}

/** Merges the fields of a JSON file and the given options; the options win. The API validates the result. */
export function mergeFields<T>(file: string | undefined, given: Readonly<Record<string, unknown>>): T {
  const defined = Object.entries(given).filter(([, value]) => value !== undefined);
  const merged = { ...(file === undefined ? {} : readObject(file)), ...Object.fromEntries(defined) };
  if (Object.keys(merged).length === 0) throw new UsageError('no field is given; see the options');
  return merged as T;
}

export const optionalTarget = (text: string | undefined): TargetInput | undefined =>
  text === undefined ? undefined : readTarget(text);

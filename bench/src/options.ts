import { parseArgs } from 'node:util';

export interface Options {
  /** The races to run. Empty for all races. */
  names: string[];
  isQuick: boolean;
  /** The number of rounds of each contender; null for the default of each race. */
  repeat: number | null;
  only: string | null;
  /** The commit to compare the current one with; null for no comparison. */
  before: string | null;
  /** True if the results are written to docs/performance.md. */
  isWritten: boolean;
  /** True if the command fails when a goal is missed. */
  isStrict: boolean;
  /** True to use the Node that started the bench instead of the pinned one. */
  isOnOwnNode: boolean;
}

export const USAGE = `pnpm bench [race ...] [options]

  Runs all races, or those that are named, and checks each result before it is printed.

  --quick        all of them small: proves that they hold, and writes nothing
  --repeat <n>   rounds of each contender (3 or 5; 1 with --quick)
  --only <name>  Carillon beside this contender alone
  --before [commit]
                 races this commit against an earlier one, in turns, and prints the ratio (herd, steady,
                 recurring-herd, claims and webhooks; 928375a by default). Writes nothing. Add
                 "--only before" to leave the other contenders out
  --write        puts the result on docs/performance.md, as running all of them does
  --strict       exits with status 1 if a goal is missed, and names it
  --own-node     stays on the Node of this command; by default all contenders run on the pinned Node 22
  --help`;

/**
 * The names of the races, and the default commit. The names tell whether the word after `--before` is a race or a
 * commit.
 */
interface Known {
  races: readonly string[];
  defaultCommit: string;
}

/** Parses the command line; returns null if it asks for help. */
export function readOptions(args: string[], known: Known): Options | null {
  const { values, positionals } = parseArgs({
    // pnpm passes its separator `--` to the program.
    args: withCommit(
      args.filter((arg) => arg !== '--'),
      known,
    ),
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      repeat: { type: 'string' },
      only: { type: 'string' },
      before: { type: 'string' },
      write: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      'own-node': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const asked = values.repeat ?? (values.quick ? '1' : null);
  const repeat = asked === null ? null : Number(asked);
  if (repeat !== null && (!Number.isInteger(repeat) || repeat < 1))
    throw new Error('--repeat takes a whole number from 1');
  if (values.before && values.write) throw new Error('--before and --write do not go together');
  if (values.strict && values.quick)
    throw new Error(
      '--strict and --quick do not go together: a quick run is too small to compare with a goal',
    );
  return {
    names: positionals,
    isQuick: values.quick,
    repeat,
    only: values.only ?? null,
    before: values.before ?? null,
    isWritten: !values.quick && !values.before && (values.write || positionals.length === 0),
    isStrict: values.strict,
    isOnOwnNode: values['own-node'],
  };
}

/** Adds the default commit after a `--before` without a value, because `parseArgs` does not support optional values. */
function withCommit(args: readonly string[], { races, defaultCommit }: Known): string[] {
  return args.flatMap((arg, i) => {
    if (arg !== '--before') return [arg];
    const next = args[i + 1];
    const hasCommit = next !== undefined && !next.startsWith('-') && !races.includes(next);
    return hasCommit ? [arg] : [arg, defaultCommit];
  });
}

import { parseArgs } from 'node:util';

export interface Options {
  /** The races to run; all of them, if none is named. */
  names: string[];
  isQuick: boolean;
  /** Null for as many rounds as each race has by itself. */
  repeat: number | null;
  only: string | null;
  /** Whether the results go to docs/performance.md. */
  isWritten: boolean;
}

export const USAGE = `pnpm bench [race ...] [options]

  Runs all races, or those that are named, and checks each result before it is printed.

  --quick        all of them small: proves that they hold, and writes nothing
  --repeat <n>   rounds of each contender (3 or 5; 1 with --quick)
  --only <name>  Carillon beside this contender alone
  --write        puts the result on docs/performance.md, as running all of them does
  --help`;

/** Null where help was asked for. */
export function readOptions(args: string[]): Options | null {
  const { values, positionals } = parseArgs({
    // pnpm hands its own separator on.
    args: args.filter((arg) => arg !== '--'),
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      repeat: { type: 'string' },
      only: { type: 'string' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const asked = values.repeat ?? (values.quick ? '1' : null);
  const repeat = asked === null ? null : Number(asked);
  if (repeat !== null && (!Number.isInteger(repeat) || repeat < 1))
    throw new Error('--repeat takes a whole number from 1');
  return {
    names: positionals,
    isQuick: values.quick,
    repeat,
    only: values.only ?? null,
    isWritten: !values.quick && (values.write || positionals.length === 0),
  };
}

import { parseArgs } from 'node:util';

export interface Options {
  /** The races to run; all of them, if none is named. */
  names: string[];
  isQuick: boolean;
  repeat: number;
  only: string | null;
  /** Whether the results go to docs/performance.md. */
  isWritten: boolean;
}

export function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    // pnpm hands its own separator on.
    args: args.filter((arg) => arg !== '--'),
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      repeat: { type: 'string' },
      only: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  const repeat = Number(values.repeat ?? (values.quick ? 1 : 3));
  if (!Number.isInteger(repeat) || repeat < 1) throw new Error('--repeat takes a whole number from 1');
  return {
    names: positionals,
    isQuick: values.quick,
    repeat,
    only: values.only ?? null,
    isWritten: !values.quick && (values.write || positionals.length === 0),
  };
}

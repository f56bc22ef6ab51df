import type { LedgerEntry, RunStatus } from '@carillon/client';

export type Outcome = LedgerEntry['status'] | RunStatus | 'overdue' | 'finished' | 'active' | 'unknown';

interface Look {
  word: string;
  colour: string;
  /**
   * The SVG path of the shape, in a box of 12 by 12. Every outcome has its own shape, because colour alone does not
   * reach every reader.
   */
  path: string;
  isHollow?: boolean;
}

const CIRCLE = 'M6 1.500a4.500 4.500 0 1 0 0 9a4.500 4.500 0 1 0 0-9z';
const LOOKS: Record<Outcome, Look> = {
  succeeded: { word: 'Succeeded', colour: 'text-ok', path: CIRCLE },
  failed: {
    word: 'Failed',
    colour: 'text-fail',
    path: 'M2.600 1.200L6 4.600L9.400 1.200L10.800 2.600L7.400 6L10.800 9.400L9.400 10.800L6 7.400L2.600 10.800L1.200 9.400L4.600 6L1.200 2.600z',
  },
  retrying: { word: 'Retrying', colour: 'text-wait', path: 'M6 1L11.200 10.500H.8z' },
  queued: { word: 'Queued', colour: 'text-run', path: 'M1.500 1.500H10.500V10.500H1.500z', isHollow: true },
  running: { word: 'Running', colour: 'text-run', path: 'M2.500 1.200L10.800 6L2.500 10.800z' },
  skipped: { word: 'Skipped', colour: 'text-rest', path: 'M1.500 4.800H10.500V7.200H1.500z' },
  cancelled: {
    word: 'Cancelled',
    colour: 'text-rest',
    path: 'M3.500 1.200H8.500L10.800 3.500V8.500L8.500 10.800H3.500L1.200 8.500V3.500z',
    isHollow: true,
  },
  upcoming: { word: 'Upcoming', colour: 'text-soft', path: CIRCLE, isHollow: true },
  active: { word: 'Active', colour: 'text-ok', path: CIRCLE },
  due: { word: 'Due', colour: 'text-fail', path: 'M6 .8L11.200 6L6 11.200L.8 6z' },
  overdue: { word: 'Overdue', colour: 'text-fail', path: 'M6 .8L11.200 6L6 11.200L.8 6z' },
  paused: {
    word: 'Paused',
    colour: 'text-hold',
    path: 'M2.500 1.500H5V10.500H2.500zM7 1.500H9.500V10.500H7z',
  },
  finished: { word: 'Finished', colour: 'text-rest', path: 'M1.500 1.500H10.500V10.500H1.500z' },
  unknown: { word: 'Unknown', colour: 'text-rest', path: 'M5 2H7V4H5zM5 5H7V7H5zM5 8H7V10H5z' },
  missing: { word: 'Missing', colour: 'text-fail', path: 'M5 1.500H7V7H5zM5 8.500H7V10.500H5z' },
};

export const lookOf = (outcome: Outcome): Look => LOOKS[outcome];

export function OutcomeGlyph({ outcome, size = 10 }: { outcome: Outcome; size?: number }) {
  const { path, isHollow, colour } = LOOKS[outcome];
  return (
    <svg
      viewBox="0 0 12 12"
      width={size}
      height={size}
      className={`inline-block shrink-0 ${colour}`}
      aria-hidden="true"
    >
      <path
        d={path}
        fill={isHollow ? 'none' : 'currentColor'}
        stroke="currentColor"
        strokeWidth={isHollow ? 1.6 : 0}
      />
    </svg>
  );
}

/** One word for an outcome, with its shape. */
export function OutcomeWord({ outcome }: { outcome: Outcome }) {
  const { word, colour } = LOOKS[outcome];
  return (
    <span className={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${colour}`}>
      <OutcomeGlyph outcome={outcome} />
      {word}
    </span>
  );
}

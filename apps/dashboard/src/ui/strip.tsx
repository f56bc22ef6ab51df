import type { RecentRun } from '@carillon/client';
import { lookOf } from './outcome.js';

const RUNS_SHOWN = 30;
const WIDTH_PER_RUN = 4;
const HEIGHT = 16;

/**
 * The top and the height of the bar for each outcome. The bar of a failure is the tallest, and a skip is only a dot.
 */
const TICKS: Record<RecentRun['status'], { y: number; height: number; isHollow?: boolean }> = {
  succeeded: { y: 6, height: 10 },
  failed: { y: 0, height: 16 },
  retrying: { y: 2, height: 14, isHollow: true },
  running: { y: 9, height: 7, isHollow: true },
  queued: { y: 11, height: 5, isHollow: true },
  skipped: { y: 13, height: 3 },
  cancelled: { y: 11, height: 5 },
};

/**
 * The outcomes of the latest runs of a schedule, oldest on the left. Outcomes differ in height and shape, and not only
 * in colour.
 */
export function Strip({ recent }: { recent: readonly RecentRun[] }) {
  const runs = recent.slice(0, RUNS_SHOWN);
  const failed = runs.filter(({ status }) => status === 'failed').length;
  const summary =
    runs.length === 0
      ? 'no runs yet'
      : `last ${runs.length} runs: ${failed === 0 ? 'none failed' : `${failed} failed`}`;
  return (
    <svg
      width={RUNS_SHOWN * WIDTH_PER_RUN}
      height={HEIGHT}
      role="img"
      aria-label={summary}
      className="block max-w-full"
    >
      <path d={`M0 15.500H${RUNS_SHOWN * WIDTH_PER_RUN}`} className="stroke-line" />
      {runs.map(({ runId, status }, index) => {
        const { y, height, isHollow } = TICKS[status];
        const x = (RUNS_SHOWN - 1 - index) * WIDTH_PER_RUN + 0.5;
        return (
          <rect
            key={runId}
            x={isHollow ? x + 0.5 : x}
            y={isHollow ? y + 0.5 : y}
            width={isHollow ? 2 : 3}
            height={isHollow ? height - 1 : height}
            className={lookOf(status).colour}
            fill={isHollow ? 'none' : 'currentColor'}
            stroke={isHollow ? 'currentColor' : 'none'}
          />
        );
      })}
    </svg>
  );
}

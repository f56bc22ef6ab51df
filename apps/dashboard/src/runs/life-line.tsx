import type { RunWithAttempts } from '@carillon/client';
import { formatMs } from '../format/time.js';
import { lookOf, OutcomeGlyph } from '../ui/outcome.js';
import { Instant } from '../ui/times.js';

/**
 * The states of a run on a line (named by the rule, due, claimed, delivered, ended), with the time from each to the
 * next.
 */
export function LifeLine({ run, zone }: { run: RunWithAttempts; zone: string | undefined }) {
  const first = run.attempts[0];
  const last = run.attempts.at(-1);
  const isRetried = run.attempts.length > 1;
  const steps: [name: string, at: string | null][] = [
    ['Named', run.occurrenceAt],
    ['Due', run.dueAt],
    // A run stores only the claim of its latest attempt. So for a run with several attempts, the start of the first
    // attempt is shown. It comes right after the first claim.
    ['Claimed', isRetried ? (first?.startedAt ?? null) : run.claimedAt],
    [isRetried ? `Attempt ${last?.number}` : 'Delivered', last?.startedAt ?? null],
    [run.finishedAt === null ? 'Not ended' : lookOf(run.status).word, run.finishedAt],
  ];
  return (
    <ol className="flex flex-col md:flex-row">
      {steps.map(([name, at], index) => {
        const before = steps[index - 1]?.[1] ?? null;
        const tookMs = at !== null && before !== null ? Date.parse(at) - Date.parse(before) : null;
        return (
          <li
            key={name}
            className="relative flex min-h-12 flex-1 gap-3 border-l-2 border-line pb-2 pl-4 last:border-transparent md:block md:min-h-0 md:border-t-2 md:border-l-0 md:pt-4 md:pl-0 md:last:border-transparent"
          >
            <span className="absolute top-0.5 -left-[7px] flex bg-surface py-0.5 md:-top-[7px] md:left-0 md:py-0 md:pr-1">
              {index === steps.length - 1 ? (
                <OutcomeGlyph outcome={run.status} size={12} />
              ) : (
                <span
                  className={`block h-[11px] w-[11px] rounded-full border-2 border-soft ${at === null ? '' : 'bg-soft'}`}
                />
              )}
            </span>
            <div>
              <div className="text-sm font-medium">{name}</div>
              <div className="text-sm text-soft">
                <Instant at={at} zone={zone} />
              </div>
            </div>
            <div className="ml-auto text-xs text-faint md:ml-0">
              {tookMs === null ? ' ' : `after ${formatMs(Math.max(0, tookMs))}`}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

import { CarillonError, type RulePreview } from '@carillon/client';
import { useQuery } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { carillon, explainError } from '../api/carillon.js';
import { serverNow } from '../api/clock.js';
import { formatCount, formatDay, formatFull } from '../format/time.js';
import { Card, Skeleton } from '../ui/parts.js';
import { Countdown } from '../ui/times.js';
import { type Draft, timingOf } from './draft.js';

const OCCURRENCES_SHOWN = 12;
const TYPING_PAUSE_MS = 250;
/** The preview warns if more fires than this are expected in the minute of the first occurrence. */
const MIN_FIRES_OF_HERD = 100;

function useDebounced<T>(value: T): T {
  const [debounced, setDebounced] = useState(value);
  const key = JSON.stringify(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return debounced;
}

/**
 * Asks the API what the rule of the draft means. The answer also has the errors of the rule, the time zone and the
 * like, which the form shows at their fields while the user types.
 */
export function usePreview(draft: Draft) {
  const timing = useDebounced(timingOf(draft));
  return useQuery({
    queryKey: ['preview', timing],
    queryFn: ({ signal }) => carillon.rules.preview({ ...timing, limit: OCCURRENCES_SHOWN }, { signal }),
    enabled: !(timing.rule.at === ''),
    placeholderData: (before) => before,
    staleTime: 30_000,
  });
}

/** The rule in words, its next occurrences in local time and in UTC, and warnings. */
export function Preview({ draft, preview }: { draft: Draft; preview: ReturnType<typeof usePreview> }) {
  const first = preview.data?.occurrences[0];
  const minute = useQuery({
    queryKey: ['forecast', 'minute', first?.at],
    queryFn: ({ signal }) => carillon.forecastMinute(first?.at ?? '', { signal }),
    enabled: first !== undefined && Date.parse(first.at) - serverNow() < 86_400_000,
    staleTime: 60_000,
  });
  const isStale = preview.isError;
  const others = minute.data?.fires ?? 0;
  return (
    <Card title="Preview">
      {preview.isPending && preview.fetchStatus === 'idle' && (
        <p className="text-sm text-soft">Choose a time to see what it means.</p>
      )}
      {preview.isPending && preview.fetchStatus !== 'idle' && <Skeleton width="16rem" />}
      {isStale && (
        <p className="text-sm text-fail">The rule does not hold yet: {explainFirst(preview.error)}.</p>
      )}
      {preview.data && !isStale && (
        <>
          <p className="font-medium">{preview.data.text}</p>
          {first && (
            <p className="text-sm text-soft">
              First <Countdown at={first.at} />.
            </p>
          )}
          <Warnings
            warnings={[
              ...preview.data.warnings,
              ...(others > MIN_FIRES_OF_HERD
                ? [
                    `It joins ${formatCount(others)} others in the minute of its first occurrence. Jitter spreads them.`,
                  ]
                : []),
              ...(draft.jitter
                ? [`Each fire is moved by up to ${draft.jitter}, differently each time.`]
                : []),
            ]}
          />
          <Occurrences preview={preview.data} zone={draft.timezone} />
        </>
      )}
    </Card>
  );
}

/** The message for the first invalid field. The preview shows it too, because the field itself may be out of sight. */
const explainFirst = (error: unknown): string =>
  (error instanceof CarillonError && error.fieldErrors[0]?.message) || explainError(error);

function Warnings({ warnings }: { warnings: readonly string[] }) {
  return (
    <ul className="my-2 flex flex-col gap-1 empty:hidden">
      {warnings.map((warning) => (
        <li key={warning} className="flex gap-2 rounded-md bg-wait-weak px-2.5 py-1.5 text-sm text-wait">
          <TriangleAlert size={14} className="mt-0.5 shrink-0" aria-hidden="true" />
          {warning}
        </li>
      ))}
    </ul>
  );
}

function Occurrences({ preview, zone }: { preview: RulePreview; zone: string }) {
  if (preview.occurrences.length === 0) return <p className="mt-3 text-sm text-soft">It never fires.</p>;
  const shown = [
    ...preview.occurrences.map((each) => ({ ...each, isLeftOut: false })),
    ...preview.excluded.map((each) => ({ ...each, isLeftOut: true, remark: 'left out: an excluded day' })),
  ];
  return (
    <ol className="mt-3 border-t border-line text-sm">
      {shown
        .toSorted((a, b) => a.at.localeCompare(b.at))
        .map(({ at, remark, isLeftOut }) => (
          <li key={at} className="border-b border-line py-1 last:border-0">
            <div className="flex flex-wrap justify-between gap-x-3">
              <span className={isLeftOut ? 'text-soft line-through' : ''}>
                {formatFull(Date.parse(at), zone)}
              </span>
              {zone !== 'UTC' && <span className="text-faint">{utcWords(at, zone)}</span>}
            </div>
            {remark && <div className="text-xs text-hold">{remark}</div>}
          </li>
        ))}
    </ol>
  );
}

/** An instant in UTC. Its date is included only if it differs from the local date. */
function utcWords(at: string, zone: string): string {
  const isSameDay = formatDay(Date.parse(at), zone) === formatDay(Date.parse(at), 'UTC');
  return `${isSameDay ? '' : `${at.slice(0, 10)} `}${at.slice(11, 19)} UTC`;
}

import type { RunStatus } from '@carillon/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { carillon } from '../api/carillon.js';
import { serverNow } from '../api/clock.js';
import { useZone } from '../api/preferences.js';
import { formatCount, formatFull, formatMs } from '../format/time.js';
import type { OverviewSearch } from '../search.js';
import { lookOf, OutcomeGlyph } from '../ui/outcome.js';
import { Card, Problem } from '../ui/parts.js';

const StatsChart = lazy(() => import('./stats-chart.js').then(({ StatsChart }) => ({ default: StatsChart })));
const route = getRouteApi('/');
const RANGES = {
  hour: { ms: 3_600_000, step: 'PT1M', words: 'Last hour' },
  day: { ms: 86_400_000, step: 'PT15M', words: 'Last day' },
};
const COUNTED: readonly Extract<RunStatus, 'succeeded' | 'failed' | 'skipped' | 'cancelled'>[] = [
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
];

const LATENESS = [
  { name: 'Late, p50', line: 'border-run', of: 'p50Ms' },
  { name: 'Late, p99', line: 'border-dashed border-accent', of: 'p99Ms' },
] as const;

/**
 * The number of runs by outcome, and their lateness, over the last hour or day. Each total links to the list of the
 * runs of that time.
 */
export function FiresCard() {
  const search: OverviewSearch = route.useSearch();
  const last = search.last ?? 'hour';
  const zone = useZone();
  const range = RANGES[last];
  const stats = useQuery({
    queryKey: ['overview', 'stats', last],
    queryFn: ({ signal }) => {
      const now = serverNow();
      const from = new Date(now - range.ms).toISOString();
      return carillon.stats({ from, to: new Date(now).toISOString(), step: range.step }, { signal });
    },
    refetchInterval: 15_000,
    placeholderData: (before) => before,
  });
  const { data } = stats;
  return (
    <Card
      title={last === 'hour' ? 'Fires per minute' : 'Fires per 15 minutes'}
      side={
        <div className="flex gap-1" role="group" aria-label="Range">
          {(['hour', 'day'] as const).map((each) => (
            <Link
              key={each}
              to="/"
              search={{ last: each === 'day' ? 'day' : undefined }}
              aria-current={each === last ? 'true' : undefined}
              className={`btn ${each === last ? '!bg-accent-weak' : 'btn-quiet'}`}
            >
              {RANGES[each].words}
            </Link>
          ))}
        </div>
      }
    >
      {stats.error && <Problem error={stats.error} retry={() => void stats.refetch()} />}
      <div className="mb-2 flex flex-wrap gap-x-6 gap-y-2">
        {COUNTED.map((status) => (
          <Link key={status} to="/runs" search={{ status, from: data?.from }} className="group">
            <span className="flex items-center gap-1.5 text-xs text-faint group-hover:underline">
              <OutcomeGlyph outcome={status} />
              {lookOf(status).word}
            </span>
            <span className="text-lg font-semibold">{data ? formatCount(data.total[status]) : '–'}</span>
          </Link>
        ))}
        {LATENESS.map(({ name, line, of }) => (
          <Link key={name} to="/runs" search={{ from: data?.from }} className="group">
            <span className="flex items-center gap-1.5 text-xs text-faint group-hover:underline">
              <span className={`inline-block w-4 border-t-2 ${line}`} />
              {name}
            </span>
            <span className="text-lg font-semibold">{formatMs(data?.total.lateness[of] ?? null)}</span>
          </Link>
        ))}
      </div>
      <div className="min-h-[220px]">
        <Suspense>{data && <StatsChart steps={data.items} zone={zone} />}</Suspense>
      </div>
      {data && !data.complete && (
        <p className="mt-1 text-xs text-wait">
          No worker has counted runs for more than five minutes, so some minutes are not counted yet.
        </p>
      )}
      <details className="mt-2 text-sm">
        <summary className="w-fit cursor-pointer text-soft">As a table</summary>
        <div className="mt-2 max-h-72 overflow-auto" role="region" aria-label="Fires as a table" tabIndex={0}>
          <table className="rows">
            <thead>
              <tr>
                <th>From</th>
                {COUNTED.map((status) => (
                  <th key={status} className="num">
                    {lookOf(status).word}
                  </th>
                ))}
                <th className="num">p50</th>
                <th className="num">p99</th>
              </tr>
            </thead>
            <tbody>
              {data?.items
                .toReversed()
                .filter((step) => COUNTED.some((status) => step[status] > 0))
                .map((step) => (
                  <tr key={step.at}>
                    <td data-label="From">{formatFull(Date.parse(step.at), zone)}</td>
                    {COUNTED.map((status) => (
                      <td key={status} data-label={lookOf(status).word} className="num">
                        {formatCount(step[status])}
                      </td>
                    ))}
                    <td data-label="p50" className="num">
                      {formatMs(step.lateness.p50Ms)}
                    </td>
                    <td data-label="p99" className="num">
                      {formatMs(step.lateness.p99Ms)}
                    </td>
                  </tr>
                ))}
            </tbody>
          </table>
        </div>
      </details>
    </Card>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { carillon } from '../api/carillon.js';
import { Card, Empty, Problem, SkeletonRows } from '../ui/parts.js';
import { Countdown, Instant } from '../ui/times.js';

const SCHEDULES_SHOWN = 7;

/** The schedules that fire next, soonest first. */
export function NextCard() {
  const next = useQuery({
    queryKey: ['overview', 'next'],
    queryFn: async ({ signal }) =>
      (await carillon.schedules.list({ order: 'next', limit: SCHEDULES_SHOWN }, { signal }).page()).items,
    refetchInterval: 10_000,
  });
  return (
    <Card
      title="Fires next"
      isFlush
      side={
        <Link to="/schedules" search={{ order: 'next' }} className="link">
          All that fire next
        </Link>
      }
    >
      {next.isPending && <SkeletonRows rows={SCHEDULES_SHOWN} />}
      {next.error && <Problem error={next.error} />}
      {next.data?.length === 0 && <Empty title="Nothing is due to fire" />}
      <ul>
        {next.data?.map(({ id, name, nextRunAt }) => (
          <li
            key={id}
            className="grid grid-cols-[minmax(0,1fr)_max-content_minmax(64px,max-content)] items-baseline gap-3 border-b border-line px-4 py-[7px] text-sm last:border-0"
          >
            <Link
              to="/schedules/$id"
              params={{ id }}
              className="min-w-0 truncate font-medium hover:underline"
            >
              {name ?? id}
            </Link>
            <span className="text-right">{nextRunAt && <Countdown at={nextRunAt} />}</span>
            <span className="text-right text-xs text-faint">
              <Instant at={nextRunAt} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

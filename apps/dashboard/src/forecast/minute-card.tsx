import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { carillon } from '../api/carillon.js';
import { useZone } from '../api/preferences.js';
import { formatCount, formatFull } from '../format/time.js';
import { Card, Empty, Problem, SkeletonRows } from '../ui/parts.js';
import { Instant } from '../ui/times.js';

/** The schedules that fire in one minute, and advice if there are too many of them. */
export function MinuteCard({ at }: { at: string }) {
  const zone = useZone();
  const minute = useQuery({
    queryKey: ['forecast', 'minute', at],
    queryFn: ({ signal }) => carillon.forecastMinute(at, { signal }),
    placeholderData: (before) => before,
  });
  const { data } = minute;
  return (
    <Card title={`Schedules that fire at ${formatFull(Date.parse(at), zone)}`} isFlush>
      {minute.isPending && <SkeletonRows rows={4} />}
      {minute.error && <Problem error={minute.error} />}
      {data && data.fires > 100 && (
        <p className="border-b border-line bg-wait-weak px-4 py-2 text-sm text-wait">
          {formatCount(data.fires)} fires in one minute. Jitter of a minute (<code>PT1M</code>) on these
          schedules spreads them over the minute; another minute of the hour spreads them further.
        </p>
      )}
      {data?.schedules.length === 0 && <Empty title="Nothing fires in this minute" />}
      {data && data.schedules.length > 0 && (
        <table className="rows">
          <thead>
            <tr>
              <th>Schedule</th>
              <th>Rule</th>
              <th>Target</th>
              <th>Next</th>
            </tr>
          </thead>
          <tbody>
            {data.schedules.slice(0, 20).map((schedule) => (
              <tr key={schedule.id}>
                <td data-label="Schedule">
                  <Link to="/schedules/$id" params={{ id: schedule.id }} className="link">
                    {schedule.name ?? schedule.id}
                  </Link>
                </td>
                <td data-label="Rule">
                  <code>{Object.values(schedule.rule)[0]}</code>
                </td>
                <td data-label="Target">{schedule.targetType}</td>
                <td data-label="Next">
                  <Instant at={schedule.nextRunAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && data.fires > 20 && (
        <p className="border-t border-line px-4 py-2 text-sm text-soft">{formatCount(data.fires)} in all.</p>
      )}
    </Card>
  );
}

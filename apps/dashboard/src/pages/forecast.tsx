import type { Forecast } from '@carillon/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { serverNow } from '../api/clock.js';
import { useZone } from '../api/preferences.js';
import { useSystem } from '../api/session.js';
import { HeatMap, HOURS, Legend } from '../forecast/heat-map.js';
import { MinuteCard } from '../forecast/minute-card.js';
import { DAY_MS, formatCount, formatDay, formatMinute } from '../format/time.js';
import { Card, Empty, Figure, PageTitle, Problem, Skeleton } from '../ui/parts.js';
import { Instant } from '../ui/times.js';

const route = getRouteApi('/forecast');
/** A coming minute is called a herd if it has more fires than this, and more than any minute of the last day. */
const MIN_FIRES_OF_HERD = 1_000;

/** The next 24 hours by minute: when many schedules fire at once, and which ones these are. */
export function ForecastPage() {
  const { minute }: { minute?: string | undefined } = route.useSearch();
  const system = useSystem();
  const forecast = useQuery({
    queryKey: ['forecast', 'day'],
    queryFn: ({ signal }) => carillon.forecast({ hours: HOURS, signal }),
    staleTime: 30_000,
    refetchInterval: ({ state }) => (state.data?.complete === false ? 2_000 : 60_000),
  });
  const { data } = forecast;
  const peak = data?.minutes.reduce((most, each) => (each.fires > most.fires ? each : most), {
    at: '',
    fires: 0,
  });
  const measured = useFullestMinute();
  const isHerd =
    peak !== undefined && measured !== null && peak.fires > Math.max(MIN_FIRES_OF_HERD, measured);
  return (
    <>
      <PageTitle title="Forecast" lead="Fires expected in the next 24 hours, minute by minute." />
      <div className="flex flex-col gap-4">
        <div className="card grid grid-cols-2 gap-4 px-4 py-3 md:grid-cols-4">
          <Figure
            name="Fires in 24 hours"
            value={data ? formatCount(data.total) : <Skeleton width="4rem" />}
            note={data && !data.complete ? 'still being counted' : undefined}
          />
          <Figure
            name="Fullest minute"
            value={peak ? formatCount(peak.fires) : '–'}
            note={peak?.at ? <Instant at={peak.at} /> : undefined}
          />
          <Figure
            name="Live workers"
            value={system.data?.workers.alive ?? '–'}
            note={
              <Link to="/system" className="link">
                Workers and system
              </Link>
            }
          />
          <Figure
            name="Most delivered in one minute"
            value={measured === null ? '–' : formatCount(measured)}
            note={isHerd ? 'the busiest coming minute has more' : 'measured over the last day'}
            tone={isHerd ? 'text-wait' : 'text-ink'}
          />
        </div>
        <Card title="By minute" side={<Legend />}>
          {forecast.error && <Problem error={forecast.error} retry={() => void forecast.refetch()} />}
          {forecast.isPending && <div className="h-[432px]" />}
          {data && <HeatMap forecast={data} chosen={minute} />}
        </Card>
        {minute && <MinuteCard at={minute} />}
        {data && <BusyTable forecast={data} />}
      </div>
    </>
  );
}

/**
 * The number of runs that the workers delivered in the busiest minute of the last day. They can deliver at least this
 * many.
 */
function useFullestMinute(): number | null {
  const stats = useQuery({
    queryKey: ['overview', 'stats', 'fullest-minute'],
    queryFn: ({ signal }) => {
      const now = serverNow();
      const from = new Date(now - DAY_MS).toISOString();
      return carillon.stats({ from, to: new Date(now).toISOString(), step: 'PT1M' }, { signal });
    },
    staleTime: 60_000,
  });
  if (!stats.data) return null;
  return Math.max(0, ...stats.data.items.map(({ succeeded, failed }) => succeeded + failed));
}

const FULLEST_SHOWN = 10;

/** The data of the heat map as a table, the busiest minute first. */
function BusyTable({ forecast }: { forecast: Forecast }) {
  const zone = useZone();
  const [isAllShown, showAll] = useState(false);
  const minutes = forecast.minutes.toSorted((a, b) => b.fires - a.fires);
  const fullest = isAllShown ? minutes : minutes.slice(0, FULLEST_SHOWN);
  return (
    <Card title="Fullest minutes" isFlush>
      {fullest.length === 0 && <Empty title="Nothing fires within a day" />}
      {fullest.length > 0 && (
        <table className="rows">
          <thead>
            <tr>
              <th>Minute</th>
              <th className="num">Fires</th>
            </tr>
          </thead>
          <tbody>
            {fullest.map(({ at, fires }) => (
              <tr key={at}>
                <td data-label="Minute">
                  <Link to="/forecast" search={{ minute: at }} resetScroll={false} className="link">
                    {formatDay(Date.parse(at), zone)}, {formatMinute(Date.parse(at), zone)}
                  </Link>
                </td>
                <td data-label="Fires" className="num">
                  {formatCount(fires)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {fullest.length < minutes.length && (
        <div className="border-t border-line p-2 text-center">
          <button type="button" className="btn btn-quiet" onClick={() => showAll(true)}>
            Show all {formatCount(minutes.length)} minutes that have fires
          </button>
        </div>
      )}
    </Card>
  );
}

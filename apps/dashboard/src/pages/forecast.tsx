import type { Forecast } from '@carillon/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { carillon } from '../api/carillon.js';
import { serverNow } from '../api/clock.js';
import { useZone } from '../api/preferences.js';
import { useSystem } from '../api/session.js';
import { formatCount, formatDay, formatFull, formatMinute } from '../format/time.js';
import { Card, Empty, Figure, PageTitle, Problem, Skeleton, SkeletonRows } from '../ui/parts.js';
import { Instant } from '../ui/times.js';

const route = getRouteApi('/forecast');
const HOURS = 24;
const MINUTE_MS = 60_000;
/** A minute with fewer fires than this is no herd, however few runs the workers have delivered in a minute so far. */
const HERD = 1_000;
const DAY_MS = 86_400_000;

/** The next 24 hours by minute: when herds are due, and which schedules make them up. */
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
  const isHerd = peak !== undefined && measured !== null && peak.fires > Math.max(HERD, measured);
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
            name="Delivered at most in a minute"
            value={measured === null ? '–' : formatCount(measured)}
            note={isHerd ? 'the fullest minute ahead has more' : 'measured over the last day'}
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
 * The number of runs that the workers delivered in the fullest minute of the last day. They are known to manage this
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

const LEVELS = ['--sunken', '--heat-1', '--heat-2', '--heat-3', '--heat-4'];

const Legend = () => (
  <span className="flex items-center gap-1 text-xs text-faint">
    none
    {LEVELS.map((level) => (
      <span
        key={level}
        className="inline-block h-3 w-3 rounded-[2px] border border-line"
        style={{ background: `var(${level})` }}
      />
    ))}
    fullest
  </span>
);

/** A map of the forecast, with one row per hour and one cell per minute. The arrow keys move from cell to cell. */
function HeatMap({ forecast, chosen }: { forecast: Forecast; chosen: string | undefined }) {
  const navigate = useNavigate({ from: '/forecast' });
  const zone = useZone();
  const startAt = Math.floor(Date.parse(forecast.from) / 3_600_000) * 3_600_000;
  const fires = new Map(forecast.minutes.map((each) => [Date.parse(each.at), each.fires]));
  const most = Math.max(1, ...forecast.minutes.map((each) => each.fires));
  const chosenAt = chosen === undefined ? null : Date.parse(chosen);
  const choose = (at: number) =>
    navigate({
      to: '/forecast',
      search: { minute: new Date(at).toISOString() },
      replace: true,
      resetScroll: false,
    });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 60, ArrowUp: -60 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    void choose((chosenAt ?? startAt) + step * MINUTE_MS);
  };
  const sorted = forecast.minutes.map((each) => each.fires).toSorted((a, b) => a - b);
  const least = sorted[Math.floor(sorted.length / 10)] ?? 0;
  // The levels of colour are spread over the values that occur, so that a steady load is light and a herd stands out.
  const levelOf = (count: number) =>
    count === 0
      ? 0
      : most === least
        ? 2
        : 1 + Math.min(3, Math.max(0, Math.floor(((count - least) / (most - least)) * 4)));
  const onPick = (hourAt: number, x: number, width: number) =>
    void choose(hourAt + Math.min(59, Math.max(0, Math.floor((x / width) * 60))) * MINUTE_MS);
  return (
    <div
      role="group"
      tabIndex={0}
      aria-label="Fires by minute. Use the arrow keys; the table below has the same figures."
      onKeyDown={onKeyDown}
    >
      {Array.from({ length: HOURS + 1 }, (_, hour) => {
        const hourAt = startAt + hour * 3_600_000;
        return (
          <div key={hourAt} className="flex h-[17px] items-center gap-2">
            <span className="w-11 shrink-0 text-right text-xs text-faint">{formatMinute(hourAt, zone)}</span>
            <svg
              viewBox="0 0 600 15"
              preserveAspectRatio="none"
              className="h-[15px] w-full cursor-pointer"
              aria-hidden="true"
              onClick={({ clientX, currentTarget }) => {
                const box = currentTarget.getBoundingClientRect();
                onPick(hourAt, clientX - box.left, box.width);
              }}
            >
              {Array.from({ length: 60 }, (_, minute) => {
                const at = hourAt + minute * MINUTE_MS;
                return (
                  <rect
                    key={at}
                    x={minute * 10 + 0.5}
                    y={0}
                    width={9}
                    height={15}
                    style={{ fill: `var(${LEVELS[levelOf(fires.get(at) ?? 0)]})` }}
                    className={at === chosenAt ? 'stroke-ink stroke-2' : ''}
                  >
                    <title>{`${formatMinute(at, zone)}: ${fires.get(at) ?? 0}`}</title>
                  </rect>
                );
              })}
            </svg>
          </div>
        );
      })}
    </div>
  );
}

/** The schedules that make up one minute, and what to do about them. */
function MinuteCard({ at }: { at: string }) {
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

const FULLEST_SHOWN = 10;

/** The data of the heat map as a table, the fullest minute first. */
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

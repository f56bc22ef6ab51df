import type { Forecast } from '@carillon/client';
import { useNavigate } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { useZone } from '../api/preferences.js';
import { formatMinute, HOUR_MS, MINUTE_MS } from '../format/time.js';

export const HOURS = 24;
const LEVELS = ['--sunken', '--heat-1', '--heat-2', '--heat-3', '--heat-4'];

export const Legend = () => (
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

/** A heat map of the forecast, with one row per hour and one cell per minute. The arrow keys move from cell to cell. */
export function HeatMap({ forecast, chosen }: { forecast: Forecast; chosen: string | undefined }) {
  const navigate = useNavigate({ from: '/forecast' });
  const zone = useZone();
  const startAt = Math.floor(Date.parse(forecast.from) / HOUR_MS) * HOUR_MS;
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
  // The levels of colour span the range from the 10th percentile to the maximum. So a steady load is light, and a
  // minute in which many schedules fire at once stands out.
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
        const hourAt = startAt + hour * HOUR_MS;
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

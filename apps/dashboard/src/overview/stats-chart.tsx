import type { StatsStep } from '@carillon/client';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { usePreferences } from '../api/preferences.js';
import { formatMinute } from '../format/time.js';

const COLOURS = { succeeded: '--ok', failed: '--fail', skipped: '--rest', cancelled: '--hold' } as const;
type Counted = keyof typeof COLOURS;
const STACK: readonly Counted[] = ['succeeded', 'skipped', 'cancelled', 'failed'];
const BARS_HEIGHT = 130;
const LINES_HEIGHT = 90;

const colourOf = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Fires by outcome as stacked bars, with their lateness below. */
export function StatsChart({ steps, zone }: { steps: readonly StatsStep[]; zone: string }) {
  const bars = useRef<HTMLDivElement>(null);
  const lines = useRef<HTMLDivElement>(null);
  const { theme } = usePreferences();

  useEffect(() => {
    if (!bars.current || !lines.current) return;
    const seconds = steps.map(({ at }) => Date.parse(at) / 1_000);
    const plots = [
      plotBars(bars.current, seconds, steps, zone),
      plotLines(lines.current, seconds, steps, zone),
    ];
    const resize = new ResizeObserver(([entry]) => {
      const width = Math.floor(entry?.contentRect.width ?? 0);
      if (width === 0) return;
      for (const plot of plots) plot.setSize({ width, height: plot.height });
    });
    resize.observe(bars.current);
    return () => {
      resize.disconnect();
      for (const plot of plots) plot.destroy();
    };
  }, [steps, zone, theme, document.documentElement.dataset.theme]);

  return (
    <div aria-hidden="true">
      <div ref={bars} className="h-[130px]" />
      <div ref={lines} className="h-[90px]" />
    </div>
  );
}

function axes(
  zone: string,
  { hasTimes, print }: { hasTimes: boolean; print: (value: number) => string },
): uPlot.Axis[] {
  const shared = { stroke: colourOf('--faint'), font: '11px system-ui, sans-serif', ticks: { show: false } };
  const grid = { stroke: colourOf('--line'), width: 1 };
  return [
    {
      ...shared,
      grid: { show: false },
      size: hasTimes ? 24 : 4,
      values: hasTimes ? (_, splits) => splits.map((split) => formatMinute(split * 1_000, zone)) : () => [],
    },
    {
      ...shared,
      grid,
      size: 52,
      space: 28,
      values: (_, splits) => splits.map(print),
    },
  ];
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' });
const printCount = (value: number) => (Number.isInteger(value) ? compact.format(value) : '');
const printLateness = (ms: number) => (ms === 0 ? '0' : ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`);

function plotBars(root: HTMLElement, seconds: number[], steps: readonly StatsStep[], zone: string): uPlot {
  // The series are drawn as sums, from the whole stack down to the lowest part, each over the previous one.
  const sums = STACK.map((_, index) =>
    steps.map((step) => STACK.slice(0, index + 1).reduce((sum, name) => sum + step[name], 0)),
  );
  const paths = uPlot.paths.bars?.({ size: [0.82, 24], gap: 0 });
  const series = STACK.map((name) => ({
    fill: colourOf(COLOURS[name]),
    width: 0,
    paths,
    points: { show: false },
  }));
  return new uPlot(
    {
      width: Math.max(200, root.clientWidth),
      height: BARS_HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 4, 0, 0],
      scales: { y: { range: (_, __, max) => [0, Math.max(4, Math.ceil(max * 1.1))] } },
      axes: axes(zone, { hasTimes: false, print: printCount }),
      series: [{}, ...series.toReversed()] as uPlot.Series[],
    },
    [seconds, ...sums.toReversed()],
    root,
  );
}

function plotLines(root: HTMLElement, seconds: number[], steps: readonly StatsStep[], zone: string): uPlot {
  const line = (name: string, dash?: number[]) => ({
    stroke: colourOf(name),
    width: 1.5,
    points: { show: false },
    spanGaps: true,
    ...(dash ? { dash } : {}),
  });
  return new uPlot(
    {
      width: Math.max(200, root.clientWidth),
      height: LINES_HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      padding: [8, 4, 0, 0],
      scales: { y: { range: (_, __, max) => [0, Math.max(10, (max ?? 0) * 1.15)] } },
      axes: axes(zone, { hasTimes: true, print: printLateness }),
      series: [{}, line('--run'), line('--accent', [4, 3])],
    },
    [seconds, steps.map(({ lateness }) => lateness.p50Ms), steps.map(({ lateness }) => lateness.p99Ms)],
    root,
  );
}

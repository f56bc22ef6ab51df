import { number } from '../harness/format.js';
import type { Axis, Plot } from './plot.js';

const WIDTH = 760;
const HEIGHT = 420;
const MARGIN = { top: 48, right: 190, bottom: 56, left: 76 };
/** Colours that people with colour blindness can tell apart (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'];

/** Draws a line chart as SVG. */
export function toSvg({ title, x, y, lines }: Plot): string {
  const points = lines.flatMap((line) => line.points);
  const across = scaleOf(
    x,
    points.map(([at]) => at),
    [MARGIN.left, WIDTH - MARGIN.right],
  );
  const up = scaleOf(
    y,
    points.map(([, at]) => at),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">
<title>${inXml(title)}</title>
<rect width="100%" height="100%" fill="#fff"/>
<text x="${MARGIN.left}" y="26" font-size="16" font-weight="600">${inXml(title)}</text>
${across.ticks.map((tick) => xTick(across.place(tick), number(tick))).join('\n')}
${up.ticks.map((tick) => yTick(up.place(tick), number(tick))).join('\n')}
<text x="${(MARGIN.left + WIDTH - MARGIN.right) / 2}" y="${HEIGHT - 14}" text-anchor="middle">${inXml(x.label)}</text>
<text transform="translate(18 ${(MARGIN.top + HEIGHT - MARGIN.bottom) / 2}) rotate(-90)" text-anchor="middle">${inXml(y.label)}</text>
${lines.map((line, i) => toLine(line, COLOURS[i % COLOURS.length] as string, i, across.place, up.place)).join('\n')}
</svg>
`;
}

interface Scale {
  place(value: number): number;
  ticks: number[];
}

function scaleOf({ scale }: Axis, values: number[], [from, to]: [number, number]): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  if (scale === 'log') {
    const [low, high] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
    const powers = Array.from({ length: Math.max(2, high - low + 1) }, (_, i) => 10 ** (low + i));
    const span = powers.length - 1;
    return {
      ticks: powers,
      place: (value) => Math.round(from + ((Math.log10(value) - low) / span) * (to - from)),
    };
  }
  const step = niceStep(most / 5);
  const ticks = Array.from({ length: Math.ceil(most / step) + 1 }, (_, i) => i * step);
  const top = ticks.at(-1) ?? 1;
  return { ticks, place: (value) => Math.round(from + (value / top) * (to - from)) };
}

/** Rounds to 1, 2 or 5 times a power of ten. */
function niceStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return (([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power) as number;
}

const xTick = (at: number, label: string) =>
  `<line x1="${at}" x2="${at}" y1="${MARGIN.top}" y2="${HEIGHT - MARGIN.bottom}" stroke="#e5e5e5"/><text x="${at}" y="${HEIGHT - MARGIN.bottom + 18}" text-anchor="middle" fill="#555">${label}</text>`;

const yTick = (at: number, label: string) =>
  `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${at}" y2="${at}" stroke="#e5e5e5"/><text x="${MARGIN.left - 8}" y="${at + 4}" text-anchor="end" fill="#555">${label}</text>`;

function toLine(
  { label, points }: Plot['lines'][number],
  colour: string,
  index: number,
  placeX: (value: number) => number,
  placeY: (value: number) => number,
): string {
  const places = points.map(([x, y]) => `${placeX(x)},${placeY(y)}`);
  const dots = places.map((place) => {
    const [x, y] = place.split(',');
    return `<circle cx="${x}" cy="${y}" r="2.5" fill="${colour}"/>`;
  });
  const legendY = MARGIN.top + 10 + index * 20;
  const legendX = WIDTH - MARGIN.right + 16;
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...dots,
    `<line x1="${legendX}" x2="${legendX + 18}" y1="${legendY}" y2="${legendY}" stroke="${colour}" stroke-width="2"/>`,
    `<text x="${legendX + 24}" y="${legendY + 4}">${inXml(label)}</text>`,
  ].join('\n');
}

function inXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A line chart for docs/performance.md. */
export interface Plot {
  /** The chart is written to docs/performance/<name>.svg. */
  name: string;
  title: string;
  x: Axis;
  y: Axis;
  lines: { label: string; points: [x: number, y: number][] }[];
}

export interface Axis {
  label: string;
  scale: 'linear' | 'log';
}

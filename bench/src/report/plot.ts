/** A picture for docs/performance.md: lines over two axes. */
export interface Plot {
  /** Its file is docs/performance/<name>.svg. */
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

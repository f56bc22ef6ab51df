import { type Style, type TextLook, withoutControls } from './terminal.js';

export type Cell = string | { text: string; look: TextLook | null };

const GAP = '  ';
const MIN_LAST_COLUMN = 12;

/** Formats a table. If it is too wide for the terminal, the last column is shortened. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly Cell[])[],
  { style, columns }: { style: Style; columns: number | null },
): string {
  const texts = rows.map((row) => row.map(textOf));
  const widths = titles.map((title, i) => Math.max(title.length, ...texts.map((row) => row[i]?.length ?? 0)));
  const last = titles.length - 1;
  const taken = widths.slice(0, last).reduce((sum, width) => sum + width + GAP.length, 0);
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(MIN_LAST_COLUMN, columns - taken);
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, i) => {
        const text = i === last ? shorten(textOf(cell), room) : textOf(cell);
        const padding = i === last ? '' : ' '.repeat((widths[i] ?? 0) - text.length);
        return style(typeof cell === 'string' ? null : cell.look, text) + padding;
      })
      .join(GAP)
      .trimEnd();
  return [line(titles.map((text) => ({ text, look: 'dim' as const }))), ...rows.map(line)].join('\n');
}

/** Formats `name  value` lines. Fields without a value are omitted. */
export function fields(pairs: readonly (readonly [string, Cell | null])[], style: Style): string {
  const given = pairs.filter(
    (pair): pair is readonly [string, Cell] => pair[1] !== null && textOf(pair[1]) !== '',
  );
  const width = Math.max(0, ...given.map(([name]) => name.length));
  return given
    .map(([name, cell]) => {
      const look = typeof cell === 'string' ? null : cell.look;
      return `${style('dim', name.padEnd(width))}${GAP}${style(look, textOf(cell))}`;
    })
    .join('\n');
}

const textOf = (cell: Cell) => withoutControls(typeof cell === 'string' ? cell : cell.text);

const shorten = (text: string, room: number) => (text.length > room ? `${text.slice(0, room - 1)}…` : text);

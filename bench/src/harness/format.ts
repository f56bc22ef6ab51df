/** Formats a number with about three significant digits: 36,500 or 7.25, never 36512.3381. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits });
}

export const ratio = (value: number): string => (Number.isFinite(value) ? `${number(value)}×` : '–');
export const percent = (share: number): string =>
  Number.isFinite(share) ? `${Math.round(share * 100)}%` : '–';

/** A table for the terminal, with the first column aligned left and numbers aligned right. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ');
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

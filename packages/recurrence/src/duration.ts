const UNITS_MS = { W: 604_800_000, D: 86_400_000, H: 3_600_000, M: 60_000, S: 1000 } as const;
const FIXED =
  /^P(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,12})(?:[.,](\d{1,3}))?S)?)?$/;

/**
 * Parses an ISO 8601 duration of fixed length into milliseconds (a day is 24 hours). Returns null for anything else.
 */
export function parseDuration(text: string): number | null {
  const match = FIXED.exec(text);
  if (!match || text.endsWith('P') || text.endsWith('T')) return null;
  const [, weeks, days, hours, minutes, seconds, fraction] = match;
  const part = (digits: string | undefined, unitMs: number) => Number(digits ?? 0) * unitMs;
  return (
    part(weeks, UNITS_MS.W) +
    part(days, UNITS_MS.D) +
    part(hours, UNITS_MS.H) +
    part(minutes, UNITS_MS.M) +
    part(seconds, UNITS_MS.S) +
    part(fraction?.padEnd(3, '0'), 1)
  );
}

/** True for a duration with months or years, whose length depends on the date at which it begins. */
export function isCalendarDuration(text: string): boolean {
  return /^P(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T.*)?$/.test(text) && /^P[^T]*[YM]/.test(text);
}

export function formatDuration(durationMs: number): string {
  if (durationMs > 0 && durationMs % UNITS_MS.W === 0) return `P${durationMs / UNITS_MS.W}W`;
  const days = Math.floor(durationMs / UNITS_MS.D);
  const hours = Math.floor((durationMs % UNITS_MS.D) / UNITS_MS.H);
  const minutes = Math.floor((durationMs % UNITS_MS.H) / UNITS_MS.M);
  const seconds = (durationMs % UNITS_MS.M) / UNITS_MS.S;
  const date = days > 0 ? `${days}D` : '';
  const time = `${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}${seconds > 0 ? `${seconds}S` : ''}`;
  if (date === '' && time === '') return 'PT0S';
  return `P${date}${time === '' ? '' : `T${time}`}`;
}

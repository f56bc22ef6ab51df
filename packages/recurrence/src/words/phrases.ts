export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MAX_LISTED_TIMES = 6;

/** Joins items: "a", "a and b", "a, b and c". */
export function joinInWords(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}

export function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  const suffix = teen ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${suffix}`;
}

/** A position: 1 is "1st", -1 is "last", -2 is "2nd last". */
export function position(n: number): string {
  if (n > 0) return ordinal(n);
  return n === -1 ? 'last' : `${ordinal(-n)} last`;
}

export function weekdayName(weekday: number): string {
  return WEEKDAYS[weekday] ?? '';
}

/** For example "on weekdays" or "on Monday and Friday"; empty if all days are named. */
export function onWeekdays(weekdays: readonly number[]): string {
  const key = [...weekdays].sort().join('');
  if (key === '0123456' || key === '') return '';
  if (key === '12345') return 'on weekdays';
  if (key === '06') return 'on weekends';
  // The list begins with Monday, as most people list weekdays.
  const mondayFirst = [...weekdays].sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7));
  return `on ${joinInWords(mondayFirst.map(weekdayName))}`;
}

export function inMonths(months: readonly number[]): string {
  if (months.length === 0 || months.length === 12) return '';
  return `in ${joinInWords(months.map((month) => MONTHS[month - 1] ?? ''))}`;
}

export function ofMonths(months: readonly number[]): string {
  return inMonths(months).replace(/^in /, 'of ') || 'of the month';
}

/** Numbers with ranges: "1-7, 15 and 21". */
export function ranges(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const latest = runs.at(-1);
    if (latest?.[1] === number - 1) latest[1] = number;
    else runs.push([number, number]);
  }
  return joinInWords(runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)));
}

/** For example "at 09:00 and 17:30"; null if there are too many times to list. */
export function atTimes(
  hours: readonly number[],
  minutes: readonly number[],
  seconds: readonly number[],
): string | null {
  if (hours.length * minutes.length * seconds.length > MAX_LISTED_TIMES) return null;
  const two = (value: number) => String(value).padStart(2, '0');
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map((second) => `${two(hour)}:${two(minute)}${second === 0 ? '' : `:${two(second)}`}`),
    ),
  );
  return `at ${joinInWords(times)}`;
}

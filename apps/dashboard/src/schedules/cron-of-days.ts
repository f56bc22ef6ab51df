/** Days of the week or of the month with a time of day, which a cron rule can express. */
export interface Days {
  by: 'week' | 'month';
  /** 0 is Sunday. */
  weekdays: number[];
  monthDays: string;
  time: string;
}

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

export function cronOfDays({ by, weekdays, monthDays, time }: Days): string {
  const [hour = '0', minute = '0'] = time.split(':');
  const at = `${Number(minute)} ${Number(hour)}`;
  if (by === 'month') return `${at} ${monthDays.replaceAll(/\s/g, '') || '1'} * *`;
  return `${at} * * ${weekdays.length === 7 ? '*' : weekdays.toSorted().join(',') || '*'}`;
}

/** Reads a cron rule of the forms that `cronOfDays` writes; null for any other rule. */
export function daysOfCron(cron: string): Days | null {
  const match = /^(\d{1,2}) (\d{1,2}) (\*|[\d,L]+) \* (\*|[\d,-]+)$/.exec(cron.trim());
  if (!match) return null;
  const [, minute = '', hour = '', monthDays = '*', weekday = '*'] = match;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (monthDays !== '*') return weekday === '*' ? { by: 'month', weekdays: [], monthDays, time } : null;
  const weekdays = weekday === '*' ? EVERY_DAY : expandDays(weekday);
  return weekdays && { by: 'week', weekdays, monthDays: '1', time };
}

function expandDays(text: string): number[] | null {
  const days = new Set<number>();
  for (const part of text.split(',')) {
    const [from, to = from] = part.split('-').map(Number);
    if (from === undefined || to === undefined || Number.isNaN(from) || to > 7 || from > to) return null;
    for (let day = from; day <= to; day++) days.add(day % 7);
  }
  return [...days];
}

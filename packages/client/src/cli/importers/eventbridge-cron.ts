/** The parts of a schedule that a cron expression of EventBridge gives. */
export interface EventbridgeCron {
  cron: string;
  /** The local times at which the years of the expression begin and end; null if it names no years. */
  startAt: string | null;
  endAt: string | null;
}

/**
 * Converts the fields `minutes hours day-of-month month day-of-week year`. Returns the reason as a text if Carillon has
 * no equivalent.
 */
export function convertEventbridgeCron(text: string): EventbridgeCron | string {
  const fields = text.trim().split(/\s+/);
  const [minutes, hours, days, months, weekdays, years] = fields;
  if (fields.length !== 6 || weekdays === undefined || years === undefined)
    return `expected six fields in cron(${text})`;
  const range = /^(\d{4})(?:-(\d{4}))?$/.exec(years);
  if (years !== '*' && !range)
    return `has no equivalent: the years ${years}; expected *, a year or a range of years`;
  const [, from, to = from] = range ?? [];
  // EventBridge demands ? in one of the day fields. For Carillon it means the same as *.
  const cron = [minutes, hours, days === '?' ? '*' : days, months, convertWeekdays(weekdays)].join(' ');
  return {
    cron,
    startAt: from === undefined ? null : `${from}-01-01T00:00:00`,
    endAt: to === undefined ? null : `${to}-12-31T23:59:59`,
  };
}

/** EventBridge counts the days of the week from 1 for Sunday, and cron from 0. */
function convertWeekdays(field: string): string {
  if (field === '?' || field === '*') return '*';
  const convertPart = (part: string) => {
    const [, days = part, rest = ''] = /^([^#/L]+)(.*)$/i.exec(part) ?? [];
    return days.replace(/\d+/g, (day) => String(Number(day) - 1)) + rest;
  };
  // `L` alone is the last day of the week, Saturday.
  return field === 'L' ? '6' : field.split(',').map(convertPart).join(',');
}

import { localTime, type ScheduleInput } from '@carillon/shared';

/** Time zones all over the world, including offsets of half an hour and of three quarters. */
const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'Europe/Athens',
  'America/New_York',
  'America/Chicago',
  'America/Los_Angeles',
  'America/Sao_Paulo',
  'America/St_Johns',
  'Africa/Cairo',
  'Africa/Lagos',
  'Asia/Tokyo',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Asia/Dubai',
  'Asia/Shanghai',
  'Australia/Sydney',
  'Australia/Adelaide',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'UTC',
];
const DAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

type Timed = Pick<ScheduleInput, 'rule' | 'timezone'>;

/** Two hundred cron and RRULE rules in twenty time zones. Each of them has an occurrence at the instant `at`. */
export function rulesDueAt(at: number): Timed[] {
  return ZONES.flatMap((timezone) => {
    const local = new Date(`${localTime(at, timezone).slice(0, 19)}Z`);
    const time = { h: local.getUTCHours(), m: local.getUTCMinutes(), s: local.getUTCSeconds() };
    const date = { day: local.getUTCDate(), month: local.getUTCMonth() + 1, weekday: local.getUTCDay() };
    return [...cronRules(time, date), ...recurrenceRules(time, date)].map((rule) => ({ rule, timezone }));
  });
}

interface LocalTime {
  h: number;
  m: number;
  s: number;
}
interface LocalDate {
  day: number;
  month: number;
  weekday: number;
}

const cronRules = ({ h, m, s }: LocalTime, { day, weekday }: LocalDate) =>
  [
    // This rule fires every minute. Its next occurrence is so near that its bell (the delayed job that wakes a worker)
    // is added to Redis at once.
    `${s} * * * * *`,
    `${s} ${m} * * * *`,
    `${s} ${m} ${h} * * *`,
    `${s} ${m} ${h} * * ${weekday}`,
    `${s} ${m} ${h} ${day} * *`,
  ].map((cron) => ({ cron }));

function recurrenceRules({ h, m, s }: LocalTime, { day, month, weekday }: LocalDate) {
  const time = `BYHOUR=${h};BYMINUTE=${m};BYSECOND=${s}`;
  return [
    `FREQ=HOURLY;BYMINUTE=${m};BYSECOND=${s}`,
    `FREQ=DAILY;${time}`,
    `FREQ=WEEKLY;BYDAY=${DAYS[weekday]};${time}`,
    `FREQ=MONTHLY;BYMONTHDAY=${day};${time}`,
    `FREQ=YEARLY;BYMONTH=${month};BYMONTHDAY=${day};${time}`,
  ].map((rule) => ({ rrule: `RRULE:${rule}` }));
}

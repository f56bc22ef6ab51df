import { type Parsed, parsed, refused, shown } from './parsed.js';

export interface CronField {
  /** As counted by the reader of the pattern, from 1. */
  position: number;
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
}

const MONTH_NAMES = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAY_NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

export const CRON_FIELDS: readonly Omit<CronField, 'position'>[] = [
  { name: 'second', min: 0, max: 59 },
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTH_NAMES },
  // 7 is Sunday as well as 0.
  { name: 'day of week', min: 0, max: 7, names: WEEKDAY_NAMES },
];

/** The values of a plain item: `*`, `5`, `MON`, `1-5`, `FRI-MON`, each with an optional `/step`. */
export function parseCronItem(item: string, field: CronField): Parsed<number[]> {
  const [range = '', stepText, ...rest] = item.split('/');
  if (rest.length > 0) return refused(complaint(field, item, 'expected one step at most'));
  const step = stepText === undefined ? parsed(1) : parseStep(stepText, field);
  if (!step.ok) return step;
  if (range === '*' || range === '?')
    return parsed(valuesBetween(field.min, lastOf(field), step.value, field));

  const [fromText = '', toText, ...more] = range.split('-');
  if (more.length > 0) return refused(complaint(field, item, 'expected a range such as 1-5'));
  const from = parseCronValue(fromText, field);
  if (!from.ok) return from;
  // `5/15` runs from 5 to the end, as in Quartz.
  if (toText === undefined) {
    return parsed(
      stepText === undefined
        ? [from.value]
        : valuesBetween(from.value, Math.max(from.value, lastOf(field)), step.value, field),
    );
  }
  const to = parseCronValue(toText, field);
  return to.ok ? parsed(valuesBetween(from.value, to.value, step.value, field)) : to;
}

export function parseCronValue(text: string, field: CronField): Parsed<number> {
  const named = field.names?.indexOf(text) ?? -1;
  if (named >= 0) return parsed(named + (field.min === 1 ? 1 : 0));
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= field.min && value <= field.max)) return refused(complaint(field, text, expected(field)));
  return parsed(value);
}

/** A list element may be anything short of a comma; an empty one is a typing error worth naming. */
export function complaint(field: CronField, text: string, wanted: string): string {
  const found = text === '' ? 'is empty' : `is ${shown(text)}`;
  return `field ${field.position} (${field.name}) ${found}; ${wanted}`;
}

function expected(field: CronField): string {
  const names = field.names ? ` or ${field.names[0]}-${field.names.at(-1)}` : '';
  return `expected ${field.min}-${field.max}${names}`;
}

// `*/90` in minutes fires once an hour, which nobody who writes it wants.
function parseStep(text: string, field: CronField): Parsed<number> {
  const size = lastOf(field) - field.min + 1;
  const step = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (step >= 1 && step <= size) return parsed(step);
  const hint = step > size ? '; for longer intervals use a rule with "every"' : '';
  return refused(complaint(field, `stepped by ${text || 'nothing'}`, `expected a step of 1-${size}${hint}`));
}

/** The last value that is not another name for the first. */
function lastOf(field: CronField): number {
  return field.max === 7 ? 6 : field.max;
}

/** A range that ends before it begins goes on from the field's first value: FRI-MON, 22-2. */
function valuesBetween(from: number, to: number, step: number, field: CronField): number[] {
  const size = lastOf(field) - field.min + 1;
  const length = to >= from ? to - from : to - from + size;
  const values: number[] = [];
  for (let ahead = 0; ahead <= length; ahead += step) {
    values.push(((from - field.min + ahead) % size) + field.min);
  }
  return values;
}

import { type Parsed, parsed, refused, shorten } from '../parse-result.js';
import { itemHint } from './cron-hints.js';

export interface CronField {
  /** The position in the pattern as the author counts it, from 1. */
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
  // Sunday is 0 as well as 7.
  { name: 'day of week', min: 0, max: 7, names: WEEKDAY_NAMES },
];

/** The values of a plain list item: `*`, `5`, `MON`, `1-5` or `FRI-MON`, each with an optional `/step`. */
export function parseCronItem(item: string, field: CronField): Parsed<number[]> {
  const hint = itemHint(item, field);
  if (hint !== null) return refused(fieldProblem(field, item, hint));
  const [range = '', stepText, ...rest] = item.split('/');
  if (rest.length > 0) return refused(fieldProblem(field, item, 'expected one step at most'));
  const step = stepText === undefined ? parsed(1) : parseStep(stepText, field);
  if (!step.ok) return step;
  if (range === '*' || range === '?')
    return parsed(valuesBetween(field.min, lastValue(field), step.value, field));

  const [fromText = '', toText, ...more] = range.split('-');
  if (more.length > 0) return refused(fieldProblem(field, item, 'expected a range such as 1-5'));
  const from = parseCronValue(fromText, field);
  if (!from.ok) return from;
  // `5/15` runs from 5 to the end of the field, as in Quartz.
  if (toText === undefined) {
    return parsed(
      stepText === undefined
        ? [from.value]
        : valuesBetween(from.value, Math.max(from.value, lastValue(field)), step.value, field),
    );
  }
  const to = parseCronValue(toText, field);
  return to.ok ? parsed(valuesBetween(from.value, to.value, step.value, field)) : to;
}

export function parseCronValue(text: string, field: CronField): Parsed<number> {
  const nameIndex = field.names?.indexOf(text) ?? -1;
  if (nameIndex >= 0) return parsed(nameIndex + (field.min === 1 ? 1 : 0));
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.min && value <= field.max) return parsed(value);
  return refused(fieldProblem(field, text, `expected ${allowedValues(field)}`));
}

/**
 * A message about one list item of a field. An empty item is usually a typing error, so the message says that it is
 * empty.
 */
export function fieldProblem(field: CronField, text: string, expectation: string): string {
  const problem = text === '' ? 'is empty' : `is ${shorten(text)}`;
  return `field ${field.position} (${field.name}) ${problem}; ${expectation}`;
}

function allowedValues(field: CronField): string {
  const names = field.names ? ` or ${field.names[0]}-${field.names.at(-1)}` : '';
  return `${field.min}-${field.max}${names}`;
}

// A step beyond the field's size is refused: `*/90` in the minute field would fire once an hour, which is never
// intended.
function parseStep(text: string, field: CronField): Parsed<number> {
  const size = lastValue(field) - field.min + 1;
  const step = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (step >= 1 && step <= size) return parsed(step);
  const hint = step > size ? '; for longer intervals use a rule with "every"' : '';
  return refused(
    fieldProblem(field, `stepped by ${text || 'nothing'}`, `expected a step of 1-${size}${hint}`),
  );
}

/** The largest value of the field. For weekdays that is 6, because 7 is Sunday again. */
function lastValue(field: CronField): number {
  return field.max === 7 ? 6 : field.max;
}

/** A range whose end lies before its start wraps around: `FRI-MON`, `22-2`. */
function valuesBetween(from: number, to: number, step: number, field: CronField): number[] {
  const size = lastValue(field) - field.min + 1;
  const length = to >= from ? to - from : to - from + size;
  const values: number[] = [];
  for (let ahead = 0; ahead <= length; ahead += step) {
    values.push(((from - field.min + ahead) % size) + field.min);
  }
  return values;
}

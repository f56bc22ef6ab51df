import { parseCron } from '../cron/cron-pattern.js';
import { parseRecurrenceText } from '../rrule/rrule-text.js';
import type { Timing } from '../timing.js';

/**
 * Maximum number of occurrences per day of a rule whose excluded occurrences are moved. On a day that receives moved
 * occurrences, its own and the moved ones are counted one by one, so their number must be small.
 */
const MAX_A_DAY = 24;
const HOUR_MS = 3_600_000;

/** Says why the excluded occurrences of a rule can't be moved, or returns null. */
export function movingProblem(timing: Timing): string | null {
  if (timing.onExcluded === 'skip' || mayMove(timing)) return null;
  return `is for rules that fire at most ${MAX_A_DAY} times a day; use skip, because this rule fires again soon on the next business day`;
}

function mayMove({ rule }: Timing): boolean {
  switch (rule.kind) {
    case 'at':
      return true;
    case 'every':
      return rule.everyMs >= HOUR_MS;
    case 'cron': {
      const pattern = parseCron(rule.cron);
      if (!pattern.ok) return true;
      const { hours, minutes, seconds } = pattern.value;
      return hours.length * minutes.length * seconds.length <= MAX_A_DAY;
    }
    case 'rrule': {
      const text = parseRecurrenceText(rule.rrule);
      if (!text.ok || !text.value.parts) return true;
      const { freq, byHour, byMinute, bySecond } = text.value.parts;
      const isSubDaily = freq === 'HOURLY' || freq === 'MINUTELY' || freq === 'SECONDLY';
      const times = [byHour, byMinute, bySecond].reduce(
        (product, list) => product * Math.max(1, list.length),
        1,
      );
      return !isSubDaily && times <= MAX_A_DAY;
    }
  }
}

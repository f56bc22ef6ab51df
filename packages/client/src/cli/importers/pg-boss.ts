import { formatDuration } from '@carillon/shared';
import { collectDrafts, type ImportResult, type ReadItem } from './collect-drafts.js';
import { noEquivalent, unusedSettings } from './no-equivalent.js';
import { asFields, asNumber, type Fields } from './read-fields.js';

/** A row of the table `schedule` of pg-boss. Older versions have neither `key` nor `kind`. */
export interface PgBossRow {
  name: string;
  key?: string | null;
  kind?: string | null;
  cron: string;
  timezone: string | null;
  data: unknown;
  options: unknown;
}

const USED = [
  'tz',
  'key',
  'missed',
  'retryLimit',
  'retryDelay',
  'retryBackoff',
  'retryDelayMax',
  'expireInSeconds',
];
const DAY_SECONDS = 86_400;

/** Turns the schedules of pg-boss into schedules of Carillon. */
export function importPgBoss(rows: readonly PgBossRow[]): ImportResult {
  return collectDrafts('pg-boss', rows, { sourceOf: nameOf, read: readRow });
}

const nameOf = ({ name, key }: PgBossRow) => (key ? `${name}/${key}` : name);

function readRow(row: PgBossRow): ReadItem {
  const options = asFields(row.options);
  const expireSeconds = asNumber(options.expireInSeconds);
  return {
    job: nameOf(row),
    rule: row.cron,
    remarks: remarksOf(options),
    schedule: {
      rule:
        row.kind === 'rrule' || /^(DTSTART|RRULE|FREQ=)/i.test(row.cron)
          ? { rrule: row.cron }
          : { cron: row.cron },
      timezone: row.timezone ?? 'UTC',
      // pg-boss leaves out occurrences that it missed, unless the schedule says otherwise.
      misfire: { policy: options.missed === 'once' ? 'once' : 'skip' },
      retry: retryOf(options),
      ...(expireSeconds === null
        ? {}
        : { timeout: formatDuration(Math.min(expireSeconds, DAY_SECONDS) * 1_000) }),
      payload: row.data ?? null,
    },
  };
}

function retryOf(options: Fields) {
  const [limit, delaySeconds, maxSeconds] = ['retryLimit', 'retryDelay', 'retryDelayMax'].map((name) =>
    asNumber(options[name]),
  );
  return {
    ...(limit === null || limit === undefined ? {} : { maxAttempts: Math.min(100, limit + 1) }),
    ...(delaySeconds ? { baseDelay: formatDuration(delaySeconds * 1_000) } : {}),
    ...(maxSeconds ? { maxDelay: formatDuration(maxSeconds * 1_000) } : {}),
  };
}

function remarksOf(options: Fields): string[] {
  const isFixed = asNumber(options.retryLimit) !== null && options.retryBackoff !== true;
  return [
    ...(isFixed ? [noEquivalent('a fixed retry delay', 'the delay doubles with each attempt')] : []),
    ...unusedSettings(options, USED, 'the receiver has to take care of it'),
  ];
}

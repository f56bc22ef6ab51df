import type { Schedule, ScheduleVersion } from '@carillon/client';

export type Definition = Partial<Schedule> | Partial<ScheduleVersion>;

/** The fields that make up a definition, in the order in which a form shows them. */
export const DEFINITION_FIELDS = [
  'name',
  'tags',
  'rule',
  'timezone',
  'startAt',
  'endAt',
  'maxRuns',
  'jitter',
  'dst',
  'leapDay',
  'exclusions',
  'onExcluded',
  'businessDays',
  'misfire',
  'overlap',
  'maxConcurrentRuns',
  'dependsOn',
  'retry',
  'timeout',
  'pauseAfterFailures',
  'onSuccess',
  'onFailure',
  'slo',
  'target',
  'payload',
] as const satisfies readonly (keyof Schedule)[];
export type DefinitionField = (typeof DEFINITION_FIELDS)[number];

export interface Change {
  field: DefinitionField;
  before: string;
  after: string;
}

/** Lists the fields that differ, with both values as short JSON. */
export function diffDefinitions(before: Definition, after: Definition): Change[] {
  return DEFINITION_FIELDS.map((field) => ({
    field,
    before: printValue(before[field]),
    after: printValue(after[field]),
  })).filter((change) => change.before !== change.after);
}

export const printValue = (value: unknown): string =>
  value === null || value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

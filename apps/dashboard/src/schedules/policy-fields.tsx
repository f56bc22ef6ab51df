import type { ComponentProps } from 'react';
import { fieldError } from '../api/carillon.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { MomentField } from './action-fields.js';
import type { DraftFieldsProps } from './draft.js';

const MISFIRE = {
  once: 'the latest of them runs, once',
  all: 'each of them runs',
  skip: 'they are skipped',
};
const OVERLAP = {
  allow: 'the next one begins all the same',
  skip: 'the next one is skipped',
  queue: 'the next one waits for it',
  cancel: 'it is cancelled for the next one',
};
const GAP = { shift: 'moves to the next valid instant', skip: 'is skipped' };
const TWICE = { first: 'fires the first time', second: 'fires the second time', both: 'fires both times' };

type TextFieldOfPolicies =
  | 'maxRuns'
  | 'jitter'
  | 'exclusions'
  | 'maxAttempts'
  | 'timeout'
  | 'pauseAfterFailures';

/** The form fields of the policies. Each option is worded by its effect. */
export function PolicyFields({ draft, error, onChange }: DraftFieldsProps) {
  const text = (
    field: TextFieldOfPolicies,
    label: string,
    more: Partial<ComponentProps<typeof TextField>> = {},
  ) => (
    <TextField
      label={label}
      error={fieldError(error, field === 'maxAttempts' ? 'retry' : field)}
      value={draft[field]}
      onChange={(value) => onChange({ [field]: value })}
      type={more.min === undefined ? 'text' : 'number'}
      {...more}
    />
  );
  const moment = (field: 'startAt' | 'endAt', label: string) => (
    <MomentField
      label={`${label} (${draft.timezone})`}
      zone={draft.timezone}
      at={draft[field] || undefined}
      error={fieldError(error, field)}
      onChange={(at) => onChange({ [field]: at ?? '' })}
    />
  );
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <ChoiceField
        label="Occurrences missed in an outage"
        error={fieldError(error, 'misfire')}
        options={MISFIRE}
        value={draft.misfire}
        onChange={(misfire) => onChange({ misfire })}
      />
      <ChoiceField
        label="While a run is under way"
        error={fieldError(error, 'overlap')}
        options={OVERLAP}
        value={draft.overlap}
        onChange={(overlap) => onChange({ overlap })}
      />
      <ChoiceField
        label="A time that the clocks skip"
        options={GAP}
        value={draft.dst.gap}
        onChange={(gap) => onChange({ dst: { ...draft.dst, gap } })}
      />
      <ChoiceField
        label="A time that comes twice"
        options={TWICE}
        value={draft.dst.overlap}
        onChange={(overlap) => onChange({ dst: { ...draft.dst, overlap } })}
      />
      {text('maxAttempts', 'Attempts', {
        hint: 'With a delay that doubles from one to the next.',
        min: 1,
        max: 100,
      })}
      {text('timeout', 'Time-out of an attempt', { hint: 'ISO 8601, such as PT15S.' })}
      {text('jitter', 'Jitter', { hint: 'Spreads fires over this long, such as PT30S.' })}
      {text('pauseAfterFailures', 'Pause after failures in a row', { hint: 'Empty: never.', min: 1 })}
      {moment('startAt', 'Not before')}
      {moment('endAt', 'Not after')}
      {text('maxRuns', 'Runs at most', { hint: 'Empty: without end.', min: 1 })}
      {text('exclusions', 'Never on', { hint: 'Dates such as 2026-12-25, or names of calendars.' })}
    </div>
  );
}

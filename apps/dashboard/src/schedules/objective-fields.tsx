import type { ComponentProps } from 'react';
import { fieldError } from '../api/carillon.js';
import { TextField } from '../ui/field.js';
import type { DraftFieldsProps } from './draft.js';
import type { Objectives } from './objectives.js';

/** The form fields of the objectives of a schedule. An alert is raised if one of them is not met. */
export function ObjectiveFields({ draft, error, onChange }: DraftFieldsProps) {
  const { objectives, targetType } = draft;
  const text = (
    field: keyof Objectives,
    label: string,
    more: Partial<ComponentProps<typeof TextField>> = {},
  ) => (
    <TextField
      label={label}
      error={fieldError(error, `slo.${field}`)}
      {...more}
      value={objectives[field]}
      onChange={(value) => onChange({ objectives: { ...objectives, [field]: value } })}
    />
  );
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <p className="text-sm text-soft sm:col-span-2">
        A breach raises an alert in the channels of the project. An empty field does not apply. Durations are
        ISO 8601, such as PT15M.
      </p>
      {targetType !== 'heartbeat' && (
        <>
          {text('startWithin', 'Starts within')}
          {text('startGrace', 'Grace of the start')}
          {text('endWithin', 'Succeeds within')}
          {text('endGrace', 'Grace of the end')}
          {text('maxDuration', 'Takes at most', { hint: 'From the first attempt to the end.' })}
        </>
      )}
      {text('percent', 'Percent of runs that succeed', {
        error: fieldError(error, 'slo.successRate.percent'),
        type: 'number',
        min: 1,
        max: 100,
        step: 'any',
      })}
      {text('over', 'Counted over', {
        hint: 'A number of runs, or a duration such as P7D.',
        error: fieldError(error, 'slo.successRate'),
      })}
    </div>
  );
}

import { instantOf, localOf } from '../format/time.js';
import { Field, TextField } from '../ui/field.js';
import type { ActionInputs, ActionName } from './perform-action.js';

/** The input fields of an action. Times are entered in the time zone `zone`. */
export function ActionFields({
  action,
  zone,
  inputs,
  onChange,
}: {
  action: ActionName;
  zone: string;
  inputs: ActionInputs;
  onChange: (inputs: ActionInputs) => void;
}) {
  if (action === 'pause') {
    return (
      <div className="flex flex-col gap-3">
        <TextField
          label="Note"
          hint="Shown beside the schedule, and in its ledger."
          maxLength={500}
          placeholder="Why, for the next person"
          value={inputs.note ?? ''}
          onChange={(value) => onChange({ ...inputs, note: value || undefined })}
        />
        <MomentField
          label={`Until (${zone})`}
          hint="Leave empty to pause until it is resumed."
          zone={zone}
          at={inputs.until}
          onChange={(until) => onChange({ ...inputs, until })}
        />
      </div>
    );
  }
  if (action === 'reschedule') {
    return (
      <MomentField
        label={`New time (${zone})`}
        zone={zone}
        at={inputs.at}
        onChange={(at) => onChange({ ...inputs, at })}
      />
    );
  }
  return null;
}

export function MomentField({
  label,
  hint,
  zone,
  at,
  error,
  onChange,
}: {
  label: string;
  hint?: string;
  zone: string;
  at: string | undefined;
  error?: string | null;
  onChange: (at: string | undefined) => void;
}) {
  return (
    <Field label={label} hint={hint} error={error ?? null}>
      <input
        className="field"
        type="datetime-local"
        step={1}
        value={at === undefined ? '' : localOf(Date.parse(at), zone)}
        onChange={({ target }) =>
          onChange(target.value === '' ? undefined : new Date(instantOf(target.value, zone)).toISOString())
        }
      />
    </Field>
  );
}

import { ChoiceField, TextAreaField, TextField } from '../ui/field.js';
import { MomentField } from './action-fields.js';
import { cronOfDays, daysOfCron } from './cron-of-days.js';
import type { Draft, RuleKind } from './draft.js';

const KINDS: readonly [RuleKind, string][] = [
  ['once', 'Once'],
  ['every', 'Every'],
  ['days', 'Days'],
  ['cron', 'Cron'],
  ['rrule', 'RRULE'],
];
const WEEKDAYS = [
  [1, 'Mon'],
  [2, 'Tue'],
  [3, 'Wed'],
  [4, 'Thu'],
  [5, 'Fri'],
  [6, 'Sat'],
  [0, 'Sun'],
] as const;
const UNITS = { S: 'seconds', M: 'minutes', H: 'hours', D: 'days' } as const;
type Unit = keyof typeof UNITS;
const REPEATS = { week: 'days of the week', month: 'days of the month' };

export interface RuleFieldsProps {
  draft: Draft;
  error: string | null;
  onChange: (change: Partial<Draft>) => void;
}

/**
 * The fields of a rule, which can be written in five ways. Switching between days and cron keeps the rule if both can
 * express it.
 */
export function RuleFields({ draft, error, onChange }: RuleFieldsProps) {
  const switchTo = (kind: RuleKind) => {
    const carried: Partial<Draft> =
      kind === 'cron' && draft.kind === 'days'
        ? { cron: cronOfDays(draft.days) }
        : kind === 'days' && draft.kind === 'cron'
          ? { days: daysOfCron(draft.cron) ?? draft.days }
          : {};
    onChange({ kind, ...carried });
  };
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="label">When</legend>
      <div className="flex flex-wrap gap-1" role="radiogroup" aria-label="Kind of rule">
        {KINDS.map(([kind, name]) => (
          <label
            key={kind}
            className={`btn has-focus-visible:outline-2 has-focus-visible:outline-accent ${draft.kind === kind ? '!bg-accent-weak' : ''}`}
          >
            <input
              type="radio"
              name="kind"
              className="sr-only"
              checked={draft.kind === kind}
              onChange={() => switchTo(kind)}
            />
            {name}
          </label>
        ))}
      </div>
      <OneKind draft={draft} error={error} onChange={onChange} />
    </fieldset>
  );
}

function OneKind({ draft, error, onChange }: RuleFieldsProps) {
  switch (draft.kind) {
    case 'once':
      return (
        <MomentField
          label={`At (${draft.timezone})`}
          zone={draft.timezone}
          at={draft.at || undefined}
          error={error}
          onChange={(at) => onChange({ at: at ?? '' })}
        />
      );
    case 'every':
      return <EveryFields draft={draft} error={error} onChange={onChange} />;
    case 'days':
      return <DayFields draft={draft} error={error} onChange={onChange} />;
    case 'cron':
      return (
        <TextField
          label="Cron expression"
          hint="Minute, hour, day of month, month, weekday. A sixth field in front is for seconds."
          error={error}
          className="font-mono"
          value={draft.cron}
          onChange={(cron) => onChange({ cron })}
        />
      );
    case 'rrule':
      return (
        <TextAreaField
          label="RRULE (RFC 5545)"
          hint="With BYHOUR, BYMINUTE and BYSECOND if the time matters."
          error={error}
          rows={2}
          value={draft.rrule}
          onChange={(rrule) => onChange({ rrule })}
        />
      );
  }
}

function EveryFields({ draft, error, onChange }: RuleFieldsProps) {
  const match = /^P(?:T(\d+)([SMH])|(\d+)(D))$/.exec(draft.every);
  const amount = match?.[1] ?? match?.[3] ?? '';
  const unit = (match?.[2] ?? match?.[4] ?? 'M') as Unit;
  const write = (count: string, of: Unit) =>
    onChange({ every: of === 'D' ? `P${count}D` : `PT${count}${of}` });
  if (!match && draft.every !== 'PTM' && draft.every !== 'PD') {
    return (
      <TextField
        label="Interval (ISO 8601)"
        error={error}
        className="font-mono"
        value={draft.every}
        onChange={(every) => onChange({ every })}
      />
    );
  }
  return (
    <div className="flex items-start gap-2">
      <TextField
        label="Every"
        error={error}
        className="!w-24"
        type="number"
        min={1}
        value={amount}
        onChange={(value) => write(value || '1', unit)}
      />
      <ChoiceField
        label="Unit"
        className="!w-32"
        options={UNITS}
        value={unit}
        onChange={(of) => write(amount || '1', of)}
      />
    </div>
  );
}

function DayFields({ draft, error, onChange }: RuleFieldsProps) {
  const { days } = draft;
  const set = (change: Partial<Draft['days']>) => onChange({ days: { ...days, ...change } });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-start gap-2">
        <ChoiceField
          label="Repeat by"
          className="!w-44"
          options={REPEATS}
          value={days.by}
          onChange={(by) => set({ by })}
        />
        <TextField
          label="At"
          className="!w-32"
          type="time"
          value={days.time}
          onChange={(time) => set({ time })}
        />
      </div>
      {days.by === 'week' ? (
        <fieldset>
          <legend className="sr-only">Days of the week</legend>
          <div className="flex flex-wrap gap-1">
            {WEEKDAYS.map(([day, name]) => (
              <label
                key={day}
                className={`btn has-focus-visible:outline-2 has-focus-visible:outline-accent ${days.weekdays.includes(day) ? '!bg-accent-weak' : 'text-soft'}`}
              >
                <input
                  type="checkbox"
                  className="sr-only"
                  checked={days.weekdays.includes(day)}
                  onChange={({ target }) =>
                    set({
                      weekdays: target.checked
                        ? [...days.weekdays, day]
                        : days.weekdays.filter((each) => each !== day),
                    })
                  }
                />
                {name}
              </label>
            ))}
          </div>
          {error && <p className="mt-1 text-xs text-fail">{error}</p>}
        </fieldset>
      ) : (
        <TextField
          label="Days of the month"
          hint="Such as 1,15 or L for the last day."
          error={error}
          className="!w-44"
          value={days.monthDays}
          onChange={(monthDays) => set({ monthDays })}
        />
      )}
    </div>
  );
}

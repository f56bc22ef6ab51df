import type { ReactNode } from 'react';
import { fieldError } from '../api/carillon.js';
import { TextField } from '../ui/field.js';
import { Card, Problem } from '../ui/parts.js';
import type { Draft } from './draft.js';
import { ObjectiveFields } from './objective-fields.js';
import { PolicyFields } from './policy-fields.js';
import { Preview, usePreview } from './preview.js';
import { RuleFields } from './rule-fields.js';
import { payloadError, TargetFields } from './target-fields.js';
import { TestDelivery } from './test-delivery.js';

const ZONES = Intl.supportedValuesOf('timeZone');

interface ScheduleFormProps {
  draft: Draft;
  onChange: (change: Partial<Draft>) => void;
  onSubmit: () => void;
  error: unknown;
  isSaving: boolean;
  isNew: boolean;
  buttons: ReactNode;
}

/** The form of a schedule, with the preview beside it. */
export function ScheduleForm({
  draft,
  onChange,
  onSubmit,
  error,
  isSaving,
  isNew,
  buttons,
}: ScheduleFormProps) {
  const preview = usePreview(draft);
  const problem = error ?? preview.error;
  const isUnreadable = payloadError(draft.payload) !== null;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(300px,400px)]">
      <form
        className="flex min-w-0 flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isUnreadable) onSubmit();
        }}
      >
        <Card>
          <div className="flex flex-col gap-4">
            <div className="grid gap-3 sm:grid-cols-2">
              <TextField
                label="Name"
                error={fieldError(error, 'name')}
                placeholder="Invoice reminder"
                value={draft.name}
                onChange={(name) => onChange({ name })}
              />
              <TextField
                label="Id"
                hint={isNew ? 'Leave empty for a generated id. It can’t be changed later.' : 'An id stays.'}
                error={fieldError(error, 'id')}
                disabled={!isNew}
                value={draft.id}
                onChange={(id) => onChange({ id })}
              />
              <TextField
                label="Tags"
                hint="Separated by commas."
                error={fieldError(error, 'tags')}
                value={draft.tags}
                onChange={(tags) => onChange({ tags })}
              />
              <TextField
                label="Time zone"
                error={fieldError(problem, 'timezone')}
                list="zones"
                value={draft.timezone}
                onChange={(timezone) => onChange({ timezone })}
              />
              <datalist id="zones">
                {ZONES.map((zone) => (
                  <option key={zone} value={zone} />
                ))}
              </datalist>
            </div>
            <RuleFields draft={draft} error={fieldError(problem, 'rule')} onChange={onChange} />
            <TargetFields draft={draft} error={error} onChange={onChange} />
          </div>
        </Card>
        <details className="card group">
          <summary className="cursor-pointer px-4 py-3 font-medium">Policies and limits</summary>
          <div className="border-t border-line p-4">
            <PolicyFields draft={draft} error={problem} onChange={onChange} />
          </div>
        </details>
        <details className="card group">
          <summary className="cursor-pointer px-4 py-3 font-medium">Objectives and alerts</summary>
          <div className="border-t border-line p-4">
            <ObjectiveFields draft={draft} error={problem} onChange={onChange} />
          </div>
        </details>
        {error !== null && error !== undefined && <Problem error={error} />}
        <div className="flex flex-wrap items-center gap-2">
          <button type="submit" className="btn btn-primary" disabled={isSaving || isUnreadable}>
            {isSaving ? 'Saving…' : isNew ? 'Create schedule' : 'Save changes'}
          </button>
          {buttons}
          <span className="ml-auto">
            <TestDelivery draft={draft} isReady={!isUnreadable} />
          </span>
        </div>
      </form>
      <div className="min-w-0 lg:sticky lg:top-16">
        <Preview draft={draft} preview={preview} />
      </div>
    </div>
  );
}

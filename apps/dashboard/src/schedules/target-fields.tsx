import { fieldError } from '../api/carillon.js';
import { ChoiceField, TextAreaField, TextField } from '../ui/field.js';
import type { DraftFieldsProps } from './draft.js';

const NAMES = {
  webhook: 'Webhook',
  queue: 'BullMQ queue',
  handler: 'Handler of a worker',
  call: 'Voice call',
  heartbeat: 'None: wait for a ping',
};

const METHODS = { POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DELETE', GET: 'GET' };
const BODIES = {
  envelope: 'The payload, with the ids and the times of the run',
  payload: 'The payload alone',
};

/** The form fields of a target. */
export function TargetFields({ draft, error, onChange }: DraftFieldsProps) {
  const { targetType } = draft;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-[180px_minmax(0,1fr)]">
        <ChoiceField
          label="Target"
          options={NAMES}
          value={targetType}
          onChange={(type) => onChange({ targetType: type })}
        />
        {targetType === 'webhook' && (
          <TextField
            label="URL"
            error={fieldError(error, 'target')}
            type="url"
            placeholder="https://example.com/hook"
            value={draft.url}
            onChange={(url) => onChange({ url })}
          />
        )}
        {targetType === 'queue' && (
          <TextField
            label="Queue"
            error={fieldError(error, 'target')}
            value={draft.queue}
            onChange={(queue) => onChange({ queue })}
          />
        )}
        {targetType === 'handler' && (
          <TextField
            label="Name of the handler"
            hint="log and noop are built in."
            error={fieldError(error, 'target')}
            value={draft.handler}
            onChange={(handler) => onChange({ handler })}
          />
        )}
        {targetType === 'call' && (
          <TextField
            label="Number to call"
            error={fieldError(error, 'target')}
            type="tel"
            value={draft.number}
            onChange={(number) => onChange({ number })}
          />
        )}
        {targetType === 'heartbeat' && (
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField
              label="Grace"
              hint="How long the job may take to report its success, such as PT30M."
              error={fieldError(error, 'target')}
              value={draft.grace}
              onChange={(grace) => onChange({ grace })}
            />
            <TextField
              label="Grace of its start"
              hint="Leave empty if the job does not report its start."
              value={draft.startGrace}
              onChange={(startGrace) => onChange({ startGrace })}
            />
          </div>
        )}
      </div>
      {targetType === 'webhook' && (
        <div className="grid gap-3 sm:grid-cols-[180px_minmax(0,1fr)]">
          <ChoiceField
            label="Method"
            options={METHODS}
            value={draft.method}
            onChange={(method) => onChange({ method })}
          />
          {draft.method !== 'GET' && (
            <ChoiceField
              label="Body"
              options={BODIES}
              value={draft.body}
              onChange={(body) => onChange({ body })}
            />
          )}
        </div>
      )}
      {targetType === 'webhook' && (
        <TextAreaField
          label="Headers"
          error={fieldError(error, 'target.headers')}
          hint="One per line, as Name: value. Stored values are hidden. They are kept unless the host changes."
          rows={2}
          value={draft.headers}
          onChange={(headers) => onChange({ headers })}
        />
      )}
      <TextAreaField
        label="Payload (JSON)"
        error={payloadError(draft.payload) ?? fieldError(error, 'payload')}
        rows={4}
        spellCheck={false}
        value={draft.payload}
        onChange={(payload) => onChange({ payload })}
      />
    </div>
  );
}

export function payloadError(text: string): string | null {
  try {
    JSON.parse(text || 'null');
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON.';
  }
}

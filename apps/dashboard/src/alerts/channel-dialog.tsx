import type { AlertChannelInput, AlertChannelType } from '@carillon/client';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { carillon, fieldError } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';

export const CHANNEL_NAMES: Record<AlertChannelType, string> = {
  webhook: 'Signed webhook',
  slack: 'Slack-compatible webhook',
  email: 'E-mail',
  pagerduty: 'PagerDuty',
};

interface Fields {
  id: string;
  type: AlertChannelType;
  url: string;
  to: string;
  routingKey: string;
}

function inputOf({ id, type, url, to, routingKey }: Fields): AlertChannelInput {
  switch (type) {
    case 'email':
      return { id, type, to: to.split(/[\s,]+/).filter(Boolean) };
    case 'pagerduty':
      return { id, type, routingKey };
    default:
      return { id, type, url };
  }
}

export function ChannelDialog({ onClose }: { onClose: () => void }) {
  const [fields, setFields] = useState<Fields>({ id: '', type: 'webhook', url: '', to: '', routingKey: '' });
  const change = (some: Partial<Fields>) => setFields((before) => ({ ...before, ...some }));
  const save = useMutation({
    mutationFn: () => carillon.alertChannels.create(inputOf(fields)),
    onSuccess: () => {
      onClose();
      void queries.invalidateQueries({ queryKey: ['alert-channels'] });
    },
  });
  const { id, type, url, to, routingKey } = fields;
  return (
    <FormDialog
      title="New channel"
      action={save}
      submit="Create channel"
      canSubmit={id !== ''}
      onClose={onClose}
    >
      <TextField
        label="Id"
        hint="Such as on-call."
        error={fieldError(save.error, 'id')}
        required
        value={id}
        onChange={(id) => change({ id })}
      />
      <ChoiceField label="Type" options={CHANNEL_NAMES} value={type} onChange={(type) => change({ type })} />
      {(type === 'webhook' || type === 'slack') && (
        <TextField
          label="URL"
          hint={
            type === 'webhook'
              ? 'Signed with the secret of the project.'
              : 'Stored encrypted, and not shown again.'
          }
          error={fieldError(save.error, 'url')}
          type="url"
          required
          value={url}
          onChange={(url) => change({ url })}
        />
      )}
      {type === 'email' && (
        <TextField
          label="Addresses"
          hint="Separated by commas."
          error={fieldError(save.error, 'to')}
          required
          value={to}
          onChange={(to) => change({ to })}
        />
      )}
      {type === 'pagerduty' && (
        <TextField
          label="Integration key"
          hint="From a PagerDuty service with the Events API v2. Stored encrypted, and not shown again."
          error={fieldError(save.error, 'routingKey')}
          type="password"
          autoComplete="off"
          required
          value={routingKey}
          onChange={(routingKey) => change({ routingKey })}
        />
      )}
    </FormDialog>
  );
}

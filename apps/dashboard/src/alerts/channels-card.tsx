import type { AlertChannel } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { ActionHead, Card, Empty, QueryState } from '../ui/parts.js';
import { Ago } from '../ui/times.js';
import { showError, showToast } from '../ui/toasts.js';
import { CHANNEL_NAMES, ChannelDialog } from './channel-dialog.js';

const queryKey = ['alert-channels'];
const refresh = () => queries.invalidateQueries({ queryKey });

/** The channels to which alerts are sent, and whether the last message arrived. */
export function ChannelsCard() {
  const isAdmin = useCan('admin');
  const [isAdding, setIsAdding] = useState(false);
  const channels = useQuery({
    queryKey,
    queryFn: ({ signal }) => carillon.alertChannels.list({ limit: 100 }, { signal }).page(),
  });
  return (
    <Card
      title="Channels"
      side={
        isAdmin && (
          <button type="button" className="btn" onClick={() => setIsAdding(true)}>
            <Plus size={15} aria-hidden="true" />
            New channel
          </button>
        )
      }
      isFlush
    >
      <QueryState query={channels} rows={2} />
      {channels.data?.items.length === 0 && (
        <Empty title="No channels yet">
          Alerts are recorded but not sent. A channel is a webhook, a chat room, e-mail or PagerDuty.
        </Empty>
      )}
      {channels.data && channels.data.items.length > 0 && (
        <ChannelTable channels={channels.data.items} isAdmin={isAdmin} />
      )}
      {isAdding && <ChannelDialog onClose={() => setIsAdding(false)} />}
    </Card>
  );
}

function ChannelTable({ channels, isAdmin }: { channels: readonly AlertChannel[]; isAdmin: boolean }) {
  const test = useMutation({
    mutationFn: (id: string) => carillon.alertChannels.test(id),
    onSuccess: ({ status, error }) => {
      void refresh();
      if (status === 'sent') showToast('The test message was sent.');
      else showToast(`The test message is ${status}${error ? `: ${error}` : ''}.`, { isError: true });
    },
    onError: showError,
  });
  const toggle = useMutation({
    mutationFn: ({ id, enabled }: AlertChannel) => carillon.alertChannels.update(id, { enabled: !enabled }),
    onSuccess: refresh,
    onError: showError,
  });
  const remove = useMutation({
    mutationFn: (id: string) => carillon.alertChannels.delete(id),
    onSuccess: refresh,
    onError: showError,
  });
  return (
    <table className="rows">
      <thead>
        <tr>
          <th>Id</th>
          <th>Type</th>
          <th>To</th>
          <th>Last message</th>
          {isAdmin && <ActionHead />}
        </tr>
      </thead>
      <tbody>
        {channels.map((channel) => (
          <tr key={channel.id}>
            <td data-label="Id" className="font-medium whitespace-nowrap">
              {channel.id}
            </td>
            <td data-label="Type" className="whitespace-nowrap">
              {CHANNEL_NAMES[channel.type]}
              {!channel.enabled && <span className="text-faint"> (off)</span>}
            </td>
            <td data-label="To" className="w-full">
              <span className="[overflow-wrap:anywhere]">{channel.to?.join(', ') ?? channel.url}</span>
            </td>
            <td data-label="Last message">
              <LastMessage channel={channel} />
            </td>
            {isAdmin && (
              <td data-label="">
                <span className="flex flex-wrap gap-1 sm:flex-nowrap">
                  <button
                    type="button"
                    className="btn"
                    disabled={test.isPending}
                    onClick={() => test.mutate(channel.id)}
                  >
                    Test
                  </button>
                  <button type="button" className="btn" onClick={() => toggle.mutate(channel)}>
                    {channel.enabled ? 'Turn off' : 'Turn on'}
                  </button>
                  <button type="button" className="btn btn-danger" onClick={() => remove.mutate(channel.id)}>
                    Delete
                  </button>
                </span>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function LastMessage({ channel: { lastMessage } }: { channel: AlertChannel }) {
  if (lastMessage === null) return <span className="text-faint">none</span>;
  const { status, at, error } = lastMessage;
  return (
    <span title={error ?? undefined} className={status === 'sent' ? '' : 'text-fail'}>
      {status} <Ago at={at} />
    </span>
  );
}

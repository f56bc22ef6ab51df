import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { HOUR_MS } from '../format/time.js';
import { ChoiceField, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Card, Problem, SkeletonRows } from '../ui/parts.js';
import { Instant } from '../ui/times.js';
import { showError } from '../ui/toasts.js';

const queryKey = ['maintenance'];
const LENGTHS = { '1': 'One hour', '4': 'Four hours', '24': 'A day', '168': 'A week' };

/**
 * Maintenance windows: periods in which breaches of objectives are recorded, but not reported to the alert channels.
 */
export function MaintenanceCard() {
  const canWrite = useCan('write');
  const [isAdding, setIsAdding] = useState(false);
  const windows = useQuery({
    queryKey,
    queryFn: ({ signal }) => carillon.alerts.maintenance({ limit: 100 }, { signal }).page(),
  });
  const end = useMutation({
    mutationFn: (id: string) => carillon.alerts.unsilence(id),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
    onError: showError,
  });
  return (
    <Card
      title="Maintenance"
      side={
        canWrite && (
          <button type="button" className="btn" onClick={() => setIsAdding(true)}>
            Silence alerts
          </button>
        )
      }
      isFlush
    >
      {windows.isPending && <SkeletonRows rows={1} />}
      {windows.error && <Problem error={windows.error} />}
      {windows.data?.items.length === 0 && (
        <p className="px-4 py-3 text-sm text-soft">No maintenance window: every breach is told.</p>
      )}
      <ul>
        {windows.data?.items.map((window) => (
          <li
            key={window.id}
            className="flex flex-wrap items-center gap-2 border-t border-line px-4 py-2 text-sm first:border-0"
          >
            <span className="min-w-0 flex-1">
              {window.schedule ?? 'All schedules'}, from <Instant at={window.startAt} /> to{' '}
              <Instant at={window.endAt} />
              <span className="text-faint">
                {' '}
                by {window.createdBy}
                {window.note && `: ${window.note}`}
              </span>
            </span>
            {canWrite && (
              <button type="button" className="btn" onClick={() => end.mutate(window.id)}>
                End it
              </button>
            )}
          </li>
        ))}
      </ul>
      {isAdding && <SilenceDialog onClose={() => setIsAdding(false)} />}
    </Card>
  );
}

function SilenceDialog({ onClose }: { onClose: () => void }) {
  const [schedule, setSchedule] = useState('');
  const [hours, setHours] = useState<keyof typeof LENGTHS>('1');
  const [note, setNote] = useState('');
  const save = useMutation({
    mutationFn: () =>
      carillon.alerts.silence({
        schedule: schedule || null,
        note: note || null,
        endAt: new Date(Date.now() + Number(hours) * HOUR_MS),
      }),
    onSuccess: () => {
      onClose();
      void queries.invalidateQueries({ queryKey });
    },
  });
  return (
    <FormDialog title="Silence alerts" action={save} submit="Silence" onClose={onClose}>
      <TextField
        label="Schedule"
        hint="The id of a schedule. Leave empty for all schedules of the project."
        value={schedule}
        onChange={setSchedule}
      />
      <ChoiceField label="For" options={LENGTHS} value={hours} onChange={setHours} />
      <TextField label="Note" maxLength={256} value={note} onChange={setNote} />
    </FormDialog>
  );
}

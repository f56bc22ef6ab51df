import type { Schedule } from '@carillon/client';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useZone } from '../api/preferences.js';
import { queries } from '../api/queries.js';
import { FormDialog } from '../ui/form-dialog.js';
import { showToast } from '../ui/toasts.js';
import { ActionFields } from './action-fields.js';
import { ACTIONS, type ActionInputs, type ActionName, performAction } from './perform-action.js';

/** A dialog for one action on one schedule. It explains the action and asks for its inputs. */
export function ActionDialog({
  schedule,
  action,
  onClose,
}: {
  schedule: Schedule;
  action: ActionName;
  onClose: () => void;
}) {
  const { name, effect, done, isDanger } = ACTIONS[action];
  const zone = useZone(schedule.timezone);
  const [inputs, setInputs] = useState<ActionInputs>({ at: schedule.nextRunAt ?? undefined });
  const title = schedule.name ?? schedule.id;
  const act = useMutation({
    mutationFn: () => performAction(schedule.id, action, inputs),
    onSuccess: (changed) => {
      onClose();
      void queries.invalidateQueries({ queryKey: ['schedule', schedule.id] });
      void queries.invalidateQueries({ queryKey: ['schedules'] });
      const runId = 'runId' in changed ? String(changed.runId) : null;
      showToast(
        <>
          {done} {title}.{' '}
          {runId && (
            <Link to="/runs/$id" params={{ id: runId }} className="link">
              See the run
            </Link>
          )}
        </>,
      );
    },
  });
  return (
    <FormDialog
      title={`${name}: ${title}`}
      action={act}
      submit={name}
      canSubmit={action !== 'reschedule' || inputs.at !== undefined}
      isDanger={isDanger}
      onClose={onClose}
    >
      <p className="text-sm text-soft">{effect}</p>
      <ActionFields action={action} zone={zone} inputs={inputs} onChange={setInputs} />
    </FormDialog>
  );
}

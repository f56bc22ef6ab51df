import type { BulkActionAnswer, ScheduleFilter } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { useZone } from '../api/preferences.js';
import { queries } from '../api/queries.js';
import { formatCount } from '../format/time.js';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Problem, Skeleton } from '../ui/parts.js';
import { Countdown } from '../ui/times.js';
import { isCountConfirmed, TypedCount } from '../ui/typed-count.js';
import { actOnSelected, type Selected } from './act-on-selected.js';
import { ActionFields } from './action-fields.js';
import { ACTIONS, type ActionInputs, type ActionName } from './perform-action.js';

const PROGRESS_EVERY_MS = 500;

export type Selection = { kind: 'rows'; rows: readonly Selected[] } | { kind: 'all'; filter: ScheduleFilter };

/**
 * A dialog for one action on many schedules. First, a dry run shows how many match, some examples, and their fires of
 * the next day.
 */
export function BulkDialog({
  action,
  selection,
  onClose,
  onDone,
}: {
  action: ActionName;
  selection: Selection;
  onClose: () => void;
  onDone: () => void;
}) {
  const { name, effect, isDanger } = ACTIONS[action];
  const zone = useZone();
  const [inputs, setInputs] = useState<ActionInputs>({});
  const [typed, setTyped] = useState('');
  const look = useQuery({
    queryKey: ['dry-run', action, selection],
    queryFn: () => lookBefore(action, selection),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const act = useMutation({
    mutationFn: async () => {
      if (selection.kind === 'rows') return actOnSelected(selection.rows, action, inputs);
      const { filter } = selection;
      const started = await carillon.schedules.act({ action, filter, background: true, ...inputs });
      return started.id === null ? started : untilDone(started.id);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['schedules'] }),
  });
  const matched = look.data?.matched ?? 0;
  const isMore = look.data?.hasMore ?? false;
  const canGo = look.isSuccess && matched > 0 && isCountConfirmed(matched, typed);

  if (act.data) {
    return (
      <Dialog title={`${name}: done`} onClose={onDone}>
        <p className="text-sm">
          {formatCount(act.data.changed)} changed
          {act.data.refused > 0 ? `, ${formatCount(act.data.refused)} refused` : ''}.
        </p>
        {act.data.refusals.length > 0 && (
          <ul className="mt-3 max-h-52 overflow-y-auto text-sm">
            {act.data.refusals.map(({ id, reason }) => (
              <li key={id} className="border-t border-line py-1">
                <span className="font-medium">{id}</span>: {reason}
              </li>
            ))}
          </ul>
        )}
        <DialogButtons>
          <button type="button" className="btn btn-primary" onClick={onDone}>
            Close
          </button>
        </DialogButtons>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={`${name}: dry run first`}
      action={act}
      submit={act.isPending ? 'Working…' : `${name} ${formatCount(matched)}`}
      canSubmit={canGo}
      isDanger={isDanger}
      leave="Leave them"
      onClose={onClose}
    >
      <p className="text-sm text-soft">{effect}</p>
      <div className="rounded-md bg-sunken p-3 text-sm">
        {look.isPending && <Skeleton width="16rem" />}
        {look.error && <Problem error={look.error} />}
        {look.data && (
          <>
            <p>
              <strong>
                {formatCount(matched)}
                {isMore ? ' or more' : ''} {matched === 1 ? 'schedule' : 'schedules'}
              </strong>{' '}
              would change. In the next 24 hours they fire {look.data.isComplete ? '' : 'at least '}
              <strong>{formatCount(look.data.fires)}</strong> {look.data.fires === 1 ? 'time' : 'times'}.
            </p>
            <ul className="mt-2">
              {look.data.examples.map((each) => (
                <li key={each.id} className="flex justify-between gap-3">
                  <span className="truncate">{each.name ?? each.id}</span>
                  <span className="shrink-0 text-soft">
                    {each.nextRunAt && <Countdown at={each.nextRunAt} />}
                  </span>
                </li>
              ))}
              {matched > look.data.examples.length && (
                <li className="text-soft">and {formatCount(matched - look.data.examples.length)} more</li>
              )}
            </ul>
          </>
        )}
      </div>
      <ActionFields action={action} zone={zone} inputs={inputs} onChange={setInputs} />
      <TypedCount count={matched} typed={typed} onChange={setTyped} />
    </FormDialog>
  );
}

const EXAMPLES_SHOWN = 5;

async function lookBefore(action: ActionName, selection: Selection) {
  if (selection.kind === 'rows') {
    const { rows } = selection;
    const fires = await Promise.all(rows.slice(0, 20).map(countNextDay));
    return {
      matched: rows.length,
      hasMore: false,
      fires: fires.reduce((sum, count) => sum + count, 0),
      isComplete: rows.length <= 20,
      examples: rows.slice(0, EXAMPLES_SHOWN),
    };
  }
  // The API requires an instant for a reschedule, even for a dry run.
  const at = action === 'reschedule' ? { at: new Date(8_640_000_000_000).toISOString() } : {};
  const answer = await carillon.schedules.act({ action, filter: selection.filter, dryRun: true, ...at });
  return {
    matched: answer.matched,
    hasMore: !(answer.preview?.complete ?? true),
    fires: answer.preview?.next24h.fires ?? 0,
    isComplete: answer.preview?.next24h.complete ?? true,
    examples: (answer.preview?.examples ?? []).slice(0, EXAMPLES_SHOWN),
  };
}

async function countNextDay({ id }: Selected): Promise<number> {
  const { items } = await carillon.schedules.occurrences(id, { limit: 200 }).page();
  const first = items[0];
  if (!first) return 0;
  const untilAt = Date.now() + 86_400_000;
  return items.filter(({ dueAt }) => Date.parse(dueAt) < untilAt).length;
}

/** Polls a bulk action until it has ended. */
async function untilDone(id: string): Promise<Pick<BulkActionAnswer, 'changed' | 'refused' | 'refusals'>> {
  for (;;) {
    const progress = await carillon.schedules.action(id);
    if (progress.status === 'done') return progress;
    if (progress.status !== 'running')
      throw new Error(
        progress.error ?? `the action stopped after ${progress.changed}; do it again for the rest`,
      );
    await new Promise((resolve) => setTimeout(resolve, PROGRESS_EVERY_MS));
  }
}

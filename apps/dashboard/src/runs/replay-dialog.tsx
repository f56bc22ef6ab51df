import type { ReplayInput } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { formatCount, formatSpan } from '../format/time.js';
import { TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { Problem, Skeleton } from '../ui/parts.js';
import { Instant } from '../ui/times.js';
import { showToast } from '../ui/toasts.js';
import { isCountConfirmed, TypedCount } from '../ui/typed-count.js';

/** Maximum number of runs that one request replays. */
const MAX_RUNS_PER_REPLAY = 100_000;
const DEFAULT_RATE = 10;

export interface ReplayTarget {
  title: string;
  which: Pick<ReplayInput, 'schedules' | 'filter' | 'receiver' | 'error'>;
}

/**
 * Replays failed runs at a rate that their receiver can take. Before that, a dry run shows how many runs match, and of
 * which schedules.
 */
export function ReplayDialog({ title, which, onClose }: ReplayTarget & { onClose: () => void }) {
  const [rate, setRate] = useState(String(DEFAULT_RATE));
  const [typed, setTyped] = useState('');
  const perSecond = Number(rate) || DEFAULT_RATE;
  const look = useQuery({
    queryKey: ['runs', 'dry-run', which],
    queryFn: () => carillon.runs.replayAll({ ...which, limit: MAX_RUNS_PER_REPLAY, dryRun: true }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const preview = look.data?.preview;
  const count = preview?.runs ?? 0;
  const replay = useMutation({
    mutationFn: () =>
      carillon.runs.replayAll({ ...which, limit: MAX_RUNS_PER_REPLAY, perSecond }, { timeoutMs: 120_000 }),
    onSuccess: ({ replayed }) => {
      onClose();
      void queries.invalidateQueries({ queryKey: ['runs'] });
      showToast(`${formatCount(replayed)} runs are replayed, ${perSecond} a second.`);
    },
  });
  const canGo = count > 0 && isCountConfirmed(count, typed);
  return (
    <FormDialog
      title={title}
      action={replay}
      submit={replay.isPending ? 'Working…' : `Replay ${formatCount(count)}`}
      canSubmit={canGo}
      leave="Leave them"
      onClose={onClose}
    >
      <div className="rounded-md bg-sunken p-3 text-sm">
        {look.isPending && <Skeleton width="16rem" />}
        {look.error && <Problem error={look.error} />}
        {preview && count === 0 && (
          <p>
            {look.data?.hasMore
              ? 'None of the latest 10,000 failed runs that match can be replayed.'
              : 'No failed run can be replayed.'}
          </p>
        )}
        {preview && count > 0 && (
          <>
            <p>
              <strong>
                {formatCount(count)}
                {look.data?.hasMore ? ' or more' : ''} {count === 1 ? 'run' : 'runs'}
              </strong>{' '}
              of {formatCount(preview.schedules)} {preview.schedules === 1 ? 'schedule' : 'schedules'} would
              be tried once more, the oldest failure first.
            </p>
            <p className="mt-1 text-soft">
              They failed between <Instant at={preview.oldestAt} /> and <Instant at={preview.latestAt} />. At
              this rate it takes about {formatSpan((count / perSecond) * 1_000)}.
            </p>
            <p className="mt-1 break-words text-soft">
              {preview.examples.slice(0, 5).join(', ')}
              {preview.schedules > 5 && ` and ${formatCount(preview.schedules - 5)} more`}
            </p>
          </>
        )}
      </div>
      <TextField
        label="Runs a second"
        hint="A receiver that was down must not be flooded once it is back."
        className="!w-28"
        type="number"
        min={1}
        max={10_000}
        value={rate}
        onChange={setRate}
      />
      <TypedCount count={count} typed={typed} onChange={setTyped} />
    </FormDialog>
  );
}

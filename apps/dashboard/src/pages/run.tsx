import type { RunWithAttempts, Schedule, ScheduleVersion } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Ban, RotateCcw } from 'lucide-react';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { formatMs } from '../format/time.js';
import { AttemptBlock } from '../runs/attempt-block.js';
import { LifeLine } from '../runs/life-line.js';
import { runWords } from '../runs/run-table.js';
import { Story } from '../runs/story.js';
import { useSchedule, useVersions } from '../schedules/use-schedule.js';
import { Code } from '../ui/code.js';
import { OutcomeWord } from '../ui/outcome.js';
import { Card, Empty, Facts, PageTitle, Problem, SkeletonRows } from '../ui/parts.js';
import { Strip } from '../ui/strip.js';
import { Instant } from '../ui/times.js';
import { showError, showToast } from '../ui/toasts.js';

const route = getRouteApi('/runs/$id');
const ENDED = ['succeeded', 'failed', 'skipped', 'cancelled'];

/** One run: its states on a line, and each of its attempts with the answer of the receiver. */
export function RunPage() {
  const { id }: { id: string } = route.useParams();
  const run = useQuery({
    queryKey: ['runs', id],
    queryFn: ({ signal }) => carillon.runs.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data && ENDED.includes(state.data.status) ? false : 2_000),
  });
  if (run.isPending) return <SkeletonRows />;
  if (run.error) return <Problem error={run.error} retry={() => void run.refetch()} />;
  return <RunDetail run={run.data} />;
}

function RunDetail({ run }: { run: RunWithAttempts }) {
  const schedule = useSchedule(run.scheduleId);
  const definition = useDefinitionOf(run, schedule.data);
  const zone = schedule.data?.timezone;
  return (
    <>
      <PageTitle
        title={
          <>
            Run of{' '}
            <Link to="/schedules/$id" params={{ id: run.scheduleId }} className="link">
              {schedule.data?.name ?? run.scheduleId}
            </Link>
          </>
        }
        lead={
          <>
            <OutcomeWord outcome={run.status} /> <span className="ml-1">{runWords(run)}</span>
          </>
        }
      >
        <RunButtons run={run} />
      </PageTitle>
      <div className="flex flex-col gap-4">
        <Card title="From named to ended">
          <LifeLine run={run} zone={zone} />
          <p className="mt-3 text-sm break-words">{run.why}</p>
        </Card>
        <Card title={`Story (${run.story.length} steps)`}>
          <Story steps={run.story} zone={zone} />
        </Card>
        {run.progress !== null && (
          <Card title="Progress">
            <Code text={JSON.stringify(run.progress, null, 2)} label="progress" />
          </Card>
        )}
        <Card title={`Attempts (${run.attempts.length})`} isFlush>
          {run.attempts.length === 0 && <Empty title="No attempt was made">{run.reason}</Empty>}
          {run.attempts.toReversed().map((attempt) => (
            <AttemptBlock
              key={attempt.number}
              attempt={attempt}
              run={run}
              zone={zone}
              target={definition?.target ?? null}
            />
          ))}
        </Card>
        <div className="grid gap-4 lg:grid-cols-2">
          <Card title="Facts">
            <Facts
              facts={[
                [
                  'Run',
                  <code key="i" className="break-all">
                    {run.id}
                  </code>,
                ],
                ['Origin', run.origin],
                ['Occurrence', <Instant key="o" at={run.occurrenceAt} zone={zone} />],
                ['Version', run.scheduleVersion],
                ['Late by', formatMs(run.latenessMs)],
                ['Worker', run.claimedBy ?? '–'],
                ['External id', run.externalId ?? '–'],
                ['Replays', run.replays],
              ]}
            />
          </Card>
          <div className="flex min-w-0 flex-col gap-4">
            <Lately run={run} />
            {definition && definition.payload !== null && (
              <Card title="Payload">
                <Code text={JSON.stringify(definition.payload, null, 2)} label="payload" />
              </Card>
            )}
          </div>
        </div>
      </div>
    </>
  );
}

function RunButtons({ run }: { run: RunWithAttempts }) {
  const canWrite = useCan('write');
  const act = useMutation({
    mutationFn: (what: 'replay' | 'cancel') => carillon.runs[what](run.id),
    onSuccess: (_, what) => {
      void queries.invalidateQueries({ queryKey: ['runs'] });
      showToast(what === 'replay' ? 'The run is tried once more.' : 'The run is cancelled.');
    },
    onError: showError,
  });
  if (!canWrite) return null;
  return ENDED.includes(run.status) ? (
    <button type="button" className="btn" disabled={act.isPending} onClick={() => act.mutate('replay')}>
      <RotateCcw size={14} aria-hidden="true" />
      Replay
    </button>
  ) : (
    <button
      type="button"
      className="btn btn-danger"
      disabled={act.isPending}
      onClick={() => act.mutate('cancel')}
    >
      <Ban size={14} aria-hidden="true" />
      Cancel run
    </button>
  );
}

/** The latest runs of the same schedule: their outcomes, and how long they took. */
function Lately({ run }: { run: RunWithAttempts }) {
  const lately = useQuery({
    queryKey: ['schedule', run.scheduleId, 'lately'],
    queryFn: ({ signal }) => carillon.runs.list({ schedule: run.scheduleId, limit: 30 }, { signal }).page(),
  });
  const items = lately.data?.items ?? [];
  const recent = items.map(({ id, occurrenceAt, origin, status, reasonCode }) => ({
    runId: id,
    at: occurrenceAt,
    origin,
    status,
    reasonCode,
  }));
  const took = items
    .flatMap(({ durationMs }) => (durationMs === null ? [] : [durationMs]))
    .toSorted((a, b) => a - b);
  const failed = items.filter(({ status }) => status === 'failed').length;
  return (
    <Card title="How the receiver answered lately">
      <Strip recent={recent} />
      <p className="mt-2 text-sm text-soft">
        {items.length === 0
          ? 'Nothing yet.'
          : `${failed} of the last ${items.length} runs failed. Half of them took ${formatMs(took[Math.floor(took.length / 2)] ?? null)} or less.`}
      </p>
    </Card>
  );
}

/** The definition under which the run was claimed; null if it is no longer stored. */
function useDefinitionOf(
  { scheduleId, scheduleVersion }: RunWithAttempts,
  schedule: Schedule | undefined,
): Schedule | ScheduleVersion | null {
  const isCurrent = schedule?.version === scheduleVersion;
  const versions = useVersions(scheduleId, { isNeeded: schedule !== undefined && !isCurrent });
  if (schedule && isCurrent) return schedule;
  return versions.data?.items.find(({ version }) => version === scheduleVersion) ?? null;
}

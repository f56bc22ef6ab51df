import type { Heartbeat, Schedule } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { Code } from '../ui/code.js';
import { Card, Problem } from '../ui/parts.js';
import { Ago } from '../ui/times.js';
import { showError, showToast } from '../ui/toasts.js';
import { AlertTable } from './alert-table.js';
import { objectiveWords } from './objective-words.js';

/** Reads the latest alerts of a schedule that has objectives, and the pings of a schedule that is a heartbeat. */
export function useObjectives(schedule: Schedule | undefined) {
  const id = schedule?.id ?? '';
  const canWrite = useCan('write');
  const hasObjectives = schedule !== undefined && schedule.slo !== null;
  const isPinged = schedule?.target.type === 'heartbeat' && canWrite;
  const alerts = useQuery({
    queryKey: ['alerts', 'of', id],
    queryFn: ({ signal }) => carillon.alerts.list({ schedule: id, limit: 5 }, { signal }).page(),
    enabled: hasObjectives,
    refetchInterval: 15_000,
  });
  const heartbeat = useQuery({
    queryKey: ['heartbeat', id],
    queryFn: ({ signal }) => carillon.schedules.heartbeat(id, { signal }),
    enabled: isPinged,
    refetchInterval: 15_000,
  });
  /** True once the card has its final height, so that the content below it does not move. */
  const isReady =
    schedule !== undefined && !(hasObjectives && alerts.isPending) && !(isPinged && heartbeat.isPending);
  return { alerts, heartbeat, isReady };
}

/** The objectives of a schedule, whether they are met, and the ping URL of a heartbeat. */
export function ObjectivesCard({
  schedule: { id, slo },
  objectives: { alerts, heartbeat },
}: {
  schedule: Schedule;
  objectives: ReturnType<typeof useObjectives>;
}) {
  if (slo === null) return null;
  const items = alerts.data?.items ?? [];
  const open = items.filter(({ state }) => state === 'open').length;
  return (
    <Card
      title="Objectives"
      side={alerts.data ? open > 0 ? <strong className="text-fail">in breach</strong> : 'met' : null}
      isFlush
    >
      <ul className="px-4 py-3 text-sm">
        {objectiveWords(slo).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      {alerts.error && <Problem error={alerts.error} />}
      {items.length > 0 && <AlertTable alerts={items} hasSchedule={false} />}
      {heartbeat.error && <Problem error={heartbeat.error} />}
      {heartbeat.data && <HeartbeatPings id={id} heartbeat={heartbeat.data} />}
    </Card>
  );
}

const PING_WORDS = { start: 'started', success: 'succeeded', fail: 'failed', log: 'logged' };

function HeartbeatPings({ id, heartbeat }: { id: string; heartbeat: Heartbeat }) {
  const rotate = useMutation({
    mutationFn: () => carillon.schedules.rotateHeartbeat(id),
    onSuccess: (rotated) => {
      queries.setQueryData(['heartbeat', id], rotated);
      showToast('The job has a new URL. The old one is refused from now on.');
    },
    onError: showError,
  });
  return (
    <div className="flex flex-col gap-2 border-t border-line px-4 py-3 text-sm">
      <p className="text-soft">
        The job pings this URL when it has succeeded; /start and /fail report the rest.
      </p>
      <Code text={heartbeat.url} label="ping URL" />
      <div className="flex flex-wrap items-center gap-2">
        <button type="button" className="btn" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
          Make a new URL
        </button>
        {heartbeat.pings.length === 0 && <span className="text-soft">No ping has come yet.</span>}
      </div>
      <ul>
        {heartbeat.pings.slice(0, 5).map((ping) => (
          <li key={`${ping.at} ${ping.kind}`} className="flex items-baseline gap-2">
            <span className="shrink-0">{PING_WORDS[ping.kind]}</span>
            <span className="shrink-0 text-xs text-faint">
              <Ago at={ping.at} />
            </span>
            <span className="min-w-0 truncate text-xs text-faint">{ping.body}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

import type { SystemWindow, WorkerReplica } from '@carillon/client';
import { useMe, useSystem, useWorkers } from '../api/session.js';
import { formatCount, formatMs } from '../format/time.js';
import { type Outcome, OutcomeGlyph } from '../ui/outcome.js';
import { Card, Empty, Facts, PageTitle, QueryState } from '../ui/parts.js';
import { Ago, Instant } from '../ui/times.js';

const STATES: Record<WorkerReplica['status'], Outcome> = {
  alive: 'active',
  lost: 'failed',
  stopped: 'finished',
};

/** The workers with their runs in flight, and the engine in figures. */
export function SystemPage() {
  const { isOperator } = useMe();
  const system = useSystem();
  const workers = useWorkers();
  const { data } = system;
  const ms = (value: number | null | undefined) => formatMs(value ?? null);
  return (
    <>
      <PageTitle title="Workers and system">
        {isOperator && (
          <a href="/queues" target="_blank" rel="noreferrer" className="btn">
            Bull Board
          </a>
        )}
      </PageTitle>
      <div className="flex flex-col gap-4">
        <div className="grid items-start gap-4 lg:grid-cols-3">
          <Card title="Servers">
            <Facts
              facts={[
                ['Status', data?.status ?? '–'],
                ['Postgres', system.isError ? 'no answer' : 'up'],
                ['Redis', data?.redis.replaceAll('_', ' ') ?? '–'],
                ['Clock of Postgres', data ? <Instant key="n" at={data.now} /> : '–'],
                ['Ahead of the API’s clock by', ms(data?.clockOffsetMs)],
              ]}
            />
          </Card>
          <Card title="Backlog">
            <Facts
              facts={[
                ['Schedules due', data ? formatCount(data.backlog.schedules) : '–'],
                ['Runs waiting', data ? formatCount(data.backlog.runs) : '–'],
                ['Oldest due', data ? <Ago key="o" at={data.backlog.oldestDueAt} /> : '–'],
                ['Circuits open', data ? formatCount(data.circuits.open) : '–'],
              ]}
            />
          </Card>
          <Card title="Bells and sweep">
            <Facts
              facts={[
                ['Bells armed', data?.bells.armed ?? '–'],
                ['Last sweep', data ? <Ago key="s" at={data.sweep.lastAt} /> : '–'],
              ]}
            />
          </Card>
        </div>
        {data && data.reasons.length > 0 && (
          <Card title="Why the status is not ok">
            <Facts facts={data.reasons.map(({ code, message }) => [code, message])} />
          </Card>
        )}
        {data && <WindowsCard windows={data.windows} />}
        <Card title="Workers of the last day" isFlush>
          <QueryState query={workers} rows={3} />
          {workers.data?.items.length === 0 && (
            <Empty title="No worker has ever started">Without a worker nothing fires.</Empty>
          )}
          {workers.data && workers.data.items.length > 0 && (
            <table className="rows">
              <thead>
                <tr>
                  <th>Worker</th>
                  <th>State</th>
                  <th>Host and process</th>
                  <th className="num">In hand</th>
                  <th className="num">Clock ahead</th>
                  <th>Started</th>
                  <th>Heartbeat</th>
                </tr>
              </thead>
              <tbody>
                {workers.data.items.map((worker) => (
                  <tr key={worker.id}>
                    <td data-label="Worker" className="font-medium">
                      {worker.id}
                    </td>
                    <td data-label="State">
                      <span className="inline-flex items-center gap-1.5">
                        <OutcomeGlyph outcome={STATES[worker.status]} />
                        {worker.status}
                      </span>
                    </td>
                    <td data-label="Process" className="w-full">
                      {worker.host} · {worker.pid}
                    </td>
                    <td data-label="In hand" className="num">
                      {formatCount(worker.inFlight)}
                    </td>
                    <td data-label="Clock" className="num whitespace-nowrap">
                      {worker.clockOffsetMs} ms
                    </td>
                    <td data-label="Started">
                      <Ago at={worker.startedAt} />
                    </td>
                    <td data-label="Heartbeat">
                      <Ago at={worker.stoppedAt ?? worker.heartbeatAt} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Card>
      </div>
    </>
  );
}

const rate = ({ count, perMinute }: SystemWindow['failed']) =>
  count === 0 ? '0' : `${formatCount(count)} (${formatCount(perMinute)} a minute)`;
const quantiles = ({ count, p50Ms, p99Ms }: SystemWindow['lateness']) =>
  count === 0 ? '–' : `${formatMs(p50Ms)} · ${formatMs(p99Ms)} of ${formatCount(count)}`;

const FIGURES: [name: string, of: (window: SystemWindow) => string][] = [
  ['Late, p50 · p99', ({ lateness }) => quantiles(lateness)],
  ['waited for a worker', ({ waits }) => quantiles(waits.backlog)],
  ['waited for the previous run', ({ waits }) => quantiles(waits.queue)],
  ['waited for the destination', ({ waits }) => quantiles(waits.deferral)],
  ['Deferrals', ({ deferrals }) => rate(deferrals)],
  ['Failed for good', ({ failed }) => rate(failed)],
  ['Overdue, found by the sweep', ({ drift }) => rate(drift.overdue)],
  ['Missing bells', ({ drift }) => rate(drift.missingBells)],
  ['Expired leases', ({ drift }) => rate(drift.expiredLeases)],
];

/**
 * How late runs were, how many failed, and what drift (overdue or missing work) the engine repaired, in the last
 * minute, hour and day.
 */
function WindowsCard({
  windows: { minute, hour, day },
}: {
  windows: Record<'minute' | 'hour' | 'day', SystemWindow>;
}) {
  return (
    <Card title="Lateness, failures and drift" isFlush>
      <table className="rows">
        <thead>
          <tr>
            <th>Figure</th>
            <th className="num">Last minute</th>
            <th className="num">Last hour</th>
            <th className="num">Last 24 hours</th>
          </tr>
        </thead>
        <tbody>
          {FIGURES.map(([name, of]) => (
            <tr key={name}>
              <td data-label="Figure" className="w-full">
                {name}
              </td>
              <td data-label="Last minute" className="num whitespace-nowrap">
                {of(minute)}
              </td>
              <td data-label="Last hour" className="num whitespace-nowrap">
                {of(hour)}
              </td>
              <td data-label="Last 24 hours" className="num whitespace-nowrap">
                {of(day)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

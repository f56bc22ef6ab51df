import type { Schedule } from '@carillon/client';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { ObjectivesCard, useObjectives } from '../alerts/objectives-card.js';
import { useCan } from '../api/session.js';
import { formatCount } from '../format/time.js';
import { ActionDialog } from '../schedules/action-dialog.js';
import { DefinitionTab } from '../schedules/definition-tab.js';
import { LedgerTab } from '../schedules/ledger-tab.js';
import { ManagedBy } from '../schedules/managed-by.js';
import { PauseWords } from '../schedules/next-cell.js';
import { ACTIONS, type ActionName, actionsFor } from '../schedules/perform-action.js';
import { RunsTab } from '../schedules/runs-tab.js';
import { targetWords } from '../schedules/target-words.js';
import { Timeline } from '../schedules/timeline.js';
import { useChanges, useLedger, useOccurrences, useSchedule } from '../schedules/use-schedule.js';
import { VersionsTab } from '../schedules/versions-tab.js';
import { SCHEDULE_TABS, type ScheduleTab } from '../search.js';
import { OutcomeWord } from '../ui/outcome.js';
import { Card, PageTitle, Problem, Skeleton, SkeletonRows } from '../ui/parts.js';
import { Ago, Countdown, Instant } from '../ui/times.js';

const route = getRouteApi('/schedules/$id');
const TAB_NAMES: Record<ScheduleTab, string> = {
  ledger: 'Ledger',
  runs: 'Runs',
  versions: 'Versions',
  definition: 'Definition',
};

/** One schedule: its definition, when it fires next, and the outcome of every occurrence with the reason. */
export function SchedulePage() {
  const { id }: { id: string } = route.useParams();
  const { tab = 'ledger' }: { tab?: ScheduleTab | undefined } = route.useSearch();
  const schedule = useSchedule(id);
  const occurrences = useOccurrences(id);
  const ledger = useLedger(schedule.data, occurrences.data?.items);
  const changes = useChanges(id);
  const objectives = useObjectives(schedule.data);
  const canWrite = useCan('write');
  const [action, setAction] = useState<ActionName | null>(null);
  if (schedule.error) return <Problem error={schedule.error} retry={() => void schedule.refetch()} />;
  const { data } = schedule;
  const text = occurrences.data?.text;
  const first = ledger.data?.pages[0];

  return (
    <>
      <PageTitle
        title={data ? (data.name ?? data.id) : <Skeleton />}
        lead={text ?? <Skeleton width="20rem" />}
      >
        {canWrite &&
          data &&
          actionsFor(data).map((each) => (
            <button
              key={each}
              type="button"
              className={`btn ${ACTIONS[each].isDanger ? 'btn-danger' : ''}`}
              onClick={() => setAction(each)}
            >
              {ACTIONS[each].name}
            </button>
          ))}
        {canWrite && data && data.status !== 'cancelled' && (
          <Link to="/schedules/$id/edit" params={{ id }} className="btn btn-primary">
            <Pencil size={14} aria-hidden="true" />
            Edit
          </Link>
        )}
      </PageTitle>
      <div className="flex flex-col gap-4">
        <div className="card grid grid-cols-2 gap-4 px-4 py-3 lg:grid-cols-5">
          {data ? <Standing schedule={data} /> : <Skeleton />}
        </div>
        {data && objectives.isReady ? (
          <>
            <ObjectivesCard schedule={data} objectives={objectives} />
            <Card
              title="Timeline"
              side={<span className="hidden md:inline">← → moves from occurrence to occurrence</span>}
            >
              {ledger.error && <Problem error={ledger.error} />}
              {first ? (
                <Timeline span={first} changes={changes.data?.items ?? []} zone={data.timezone} />
              ) : (
                <div className="h-[130px]" />
              )}
            </Card>
            <section className="card">
              <nav
                aria-label="Views of this schedule"
                className="flex gap-1 overflow-x-auto border-b border-line px-2"
              >
                {SCHEDULE_TABS.map((each) => (
                  <Link
                    key={each}
                    to="/schedules/$id"
                    params={{ id }}
                    search={{ tab: each === 'ledger' ? undefined : each }}
                    replace
                    resetScroll={false}
                    aria-current={each === tab ? 'page' : undefined}
                    className={`-mb-px border-b-2 px-3 py-2.5 text-sm font-medium ${each === tab ? 'border-accent text-ink' : 'border-transparent text-soft hover:text-ink'}`}
                  >
                    {TAB_NAMES[each]}
                  </Link>
                ))}
              </nav>
              {tab === 'ledger' &&
                (ledger.data ? (
                  <LedgerTab
                    windows={ledger.data.pages}
                    zone={data.timezone}
                    hasMore={ledger.hasNextPage}
                    isLoading={ledger.isFetchingNextPage}
                    onMore={() => void ledger.fetchNextPage()}
                  />
                ) : (
                  <SkeletonRows />
                ))}
              {tab === 'runs' && <RunsTab id={id} zone={data.timezone} />}
              {tab === 'versions' && <VersionsTab id={id} />}
              {tab === 'definition' && <DefinitionTab schedule={data} text={text ?? ''} />}
            </section>
          </>
        ) : (
          <SkeletonRows rows={10} />
        )}
      </div>
      {action && data && <ActionDialog schedule={data} action={action} onClose={() => setAction(null)} />}
    </>
  );
}

function Standing({ schedule }: { schedule: Schedule }) {
  const { status, nextRunAt, timezone, pause, target, runsTotal, lastRunAt, version, updatedAt, tags, id } =
    schedule;
  return (
    <>
      <Cell name="Status">
        <OutcomeWord outcome={status} />
        <PauseWords pause={pause} zone={timezone} />
      </Cell>
      <Cell name="Next">
        {nextRunAt === null ? (
          <span className="text-soft">nothing</span>
        ) : (
          <>
            <span className="text-lg font-semibold">
              <Countdown at={nextRunAt} />
            </span>
            <div className="text-xs text-faint">
              <Instant at={nextRunAt} zone={timezone} />
              <div>{timezone}</div>
            </div>
          </>
        )}
      </Cell>
      <Cell name="Last run">
        <Ago at={lastRunAt} />
        <div className="text-xs text-faint">{formatCount(runsTotal)} in all</div>
      </Cell>
      <Cell name="Target">
        <span className="break-words">{targetWords(target)}</span>
      </Cell>
      <Cell name="Id">
        <span className="break-all">{id}</span>
        <div className="text-xs text-faint">
          version {version}, <Ago at={updatedAt} />
        </div>
        <ManagedBy schedule={schedule} />
        <div className="mt-1 flex flex-wrap gap-1">
          {tags.map((tag) => (
            <Link key={tag} to="/schedules" search={{ tag }} className="chip">
              {tag}
            </Link>
          ))}
        </div>
      </Cell>
    </>
  );
}

const Cell = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div className="min-w-0">
    <div className="mb-0.5 text-xs text-faint">{name}</div>
    {children}
  </div>
);

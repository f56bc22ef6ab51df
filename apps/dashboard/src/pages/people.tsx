import type { Reminder } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { type Outcome, OutcomeWord } from '../ui/outcome.js';
import { Card, Empty, PageTitle, Problem, SkeletonRows } from '../ui/parts.js';
import { Ago, Countdown, Instant } from '../ui/times.js';
import { showError, showToast } from '../ui/toasts.js';

const ROWS_SHOWN = 50;

/** People and their birthdays, tasks with a due date, and reminders: the systems that are built on schedules. */
export function People() {
  return (
    <>
      <PageTitle
        title="People and tasks"
        lead="Birthdays, tasks and reminders. Each is a schedule, with its own ledger. Programs create them through the API."
      />
      <div className="flex flex-col gap-4">
        <Users />
        <div className="grid items-start gap-4 2xl:grid-cols-2">
          <Tasks />
          <Reminders />
        </div>
      </div>
    </>
  );
}

function Users() {
  const users = useQuery({
    queryKey: ['people', 'users'],
    queryFn: ({ signal }) => carillon.users.list({ limit: ROWS_SHOWN }, { signal }).page(),
  });
  return (
    <ListCard
      title="People"
      query={users}
      empty="No people yet"
      howTo="POST /v1/users"
      heads={['Name', 'Born', 'Zone', 'Next birthday']}
    >
      {users.data?.items.map((user) => (
        <tr key={user.id}>
          <td data-label="Name" className="font-medium">
            {user.firstName} {user.lastName}
          </td>
          <td data-label="Born">{user.dateOfBirth}</td>
          <td data-label="Zone">{user.timezone}</td>
          <td data-label="Next birthday">
            {user.nextBirthdayEvent && (
              <Link to="/schedules/$id" params={{ id: user.nextBirthdayEvent.scheduleId }} className="link">
                <Instant at={user.nextBirthdayEvent.at} zone={user.timezone} />
              </Link>
            )}
          </td>
        </tr>
      ))}
    </ListCard>
  );
}

function Tasks() {
  const canWrite = useCan('write');
  const tasks = useQuery({
    queryKey: ['people', 'tasks'],
    queryFn: ({ signal }) => carillon.tasks.list({ limit: ROWS_SHOWN }, { signal }).page(),
  });
  const scan = useMutation({
    mutationFn: () => carillon.tasks.scan(),
    onSuccess: ({ due, sent, skipped, failed }) => {
      void queries.invalidateQueries({ queryKey: ['people'] });
      showToast(`Scanned: ${due} due, ${sent} reminded, ${skipped} skipped, ${failed} failed.`);
    },
    onError: showError,
  });
  return (
    <ListCard
      title="Tasks"
      query={tasks}
      empty="No tasks yet"
      howTo="POST /v1/tasks"
      heads={['Title', 'Due', 'Reminded']}
      side={
        canWrite && (
          <button type="button" className="btn" disabled={scan.isPending} onClick={() => scan.mutate()}>
            Scan now
          </button>
        )
      }
    >
      {tasks.data?.items.map((task) => (
        <tr key={task.id}>
          <td data-label="Title" className="font-medium">
            {task.title}
          </td>
          <td data-label="Due">
            <Countdown at={task.dueAt} />
          </td>
          <td data-label="Reminded">
            {task.reminderSentAt === null ? (
              <span className="text-faint">not yet</span>
            ) : (
              <Ago at={task.reminderSentAt} />
            )}
          </td>
        </tr>
      ))}
    </ListCard>
  );
}

const STATES: Record<Reminder['status'], Outcome> = {
  scheduled: 'upcoming',
  processing: 'running',
  completed: 'succeeded',
  pending_retry: 'retrying',
  failed: 'failed',
  cancelled: 'cancelled',
};

function Reminders() {
  const reminders = useQuery({
    queryKey: ['people', 'reminders'],
    queryFn: ({ signal }) => carillon.reminders.list({ limit: ROWS_SHOWN }, { signal }).page(),
  });
  return (
    <ListCard
      title="Reminders"
      query={reminders}
      empty="No reminders yet"
      howTo="POST /v1/reminders"
      heads={['Message', 'To', 'At', 'State']}
    >
      {reminders.data?.items.map((reminder) => (
        <tr key={reminder.id}>
          <td data-label="Message" className="font-medium">
            {reminder.runId ? (
              <Link to="/runs/$id" params={{ id: reminder.runId }} className="hover:underline">
                {reminder.message}
              </Link>
            ) : (
              reminder.message
            )}
          </td>
          <td data-label="To" className="break-words">
            {reminder.recipient}
          </td>
          <td data-label="At">
            <Instant at={reminder.at} zone={reminder.timezone} />
          </td>
          <td data-label="State">
            <OutcomeWord outcome={STATES[reminder.status]} />
          </td>
        </tr>
      ))}
    </ListCard>
  );
}

interface ListQuery {
  isPending: boolean;
  error: unknown;
  data?: { items: readonly unknown[]; nextCursor: string | null } | undefined;
}

function ListCard({
  title,
  query,
  empty,
  howTo,
  heads,
  children,
  side,
}: {
  title: string;
  query: ListQuery;
  empty: string;
  /** An example of the request that creates the first item of the list. */
  howTo: string;
  heads: readonly string[];
  children: ReactNode;
  side?: ReactNode;
}) {
  const { data } = query;
  return (
    <Card title={title} isFlush side={side}>
      {query.isPending && <SkeletonRows rows={3} />}
      {query.error !== null && <Problem error={query.error} />}
      {data?.items.length === 0 && (
        <Empty title={empty}>
          <code>{howTo}</code> makes one: see the{' '}
          <a href="/docs" target="_blank" rel="noreferrer" className="link">
            API reference
          </a>
          .
        </Empty>
      )}
      {data && data.items.length > 0 && (
        <table className="rows">
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head}>{head}</th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      )}
      {data && data.nextCursor !== null && (
        <p className="border-t border-line px-4 py-2 text-sm text-soft">
          The first {ROWS_SHOWN} are shown; the API has the rest.
        </p>
      )}
    </Card>
  );
}

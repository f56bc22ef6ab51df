import type { DeadLetters as DeadLetterList } from '@carillon/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { useCan } from '../api/session.js';
import { formatCount } from '../format/time.js';
import { ReplayDialog, type ReplayTarget } from '../runs/replay-dialog.js';
import { ActionHead, Empty, PageTitle, QueryState } from '../ui/parts.js';
import { Ago } from '../ui/times.js';

/** Runs that failed for good, grouped by receiver and error. They can be replayed once the receiver works again. */
export function DeadLetters() {
  const canWrite = useCan('write');
  const dead = useQuery({
    queryKey: ['runs', 'dead'],
    queryFn: ({ signal }) => carillon.runs.deadLetters({}, { signal }),
  });
  const [replayed, replay] = useState<ReplayTarget | null>(null);
  return (
    <>
      <PageTitle
        title="Dead letters"
        lead={
          dead.data && dead.data.runs > 0
            ? `${formatCount(dead.data.runs)} ${dead.data.complete ? '' : 'or more '}runs failed for good. Nothing tries them again unless you replay them.`
            : undefined
        }
      />
      <div className="card overflow-hidden">
        <QueryState query={dead} />
        {dead.data?.groups.length === 0 && (
          <Empty title="No dead letters">Every run that ended was delivered, skipped or cancelled.</Empty>
        )}
        {dead.data && dead.data.groups.length > 0 && (
          <table className="rows">
            <thead>
              <tr>
                <th>Receiver</th>
                <th>Error</th>
                <th className="num">Runs</th>
                <th>Schedules</th>
                <th>Latest</th>
                {canWrite && <ActionHead />}
              </tr>
            </thead>
            <tbody>
              {dead.data.groups.map((group) => (
                <tr key={`${group.receiver} ${group.error}`}>
                  <td data-label="Receiver" className="font-medium break-words md:max-w-64">
                    {group.receiver}
                  </td>
                  <td data-label="Error" className="w-full break-words text-fail">
                    {group.error}
                  </td>
                  <td data-label="Runs" className="num">
                    {formatCount(group.runs)}
                  </td>
                  <td data-label="Schedules" className="whitespace-nowrap">
                    <span>
                      {group.examples.slice(0, 2).map((id) => (
                        <Link
                          key={id}
                          to="/runs"
                          search={{ schedule: id, status: 'failed' }}
                          className="link block"
                        >
                          {id}
                        </Link>
                      ))}
                      {group.schedules > 2 && (
                        <span className="text-faint">and {formatCount(group.schedules - 2)} more</span>
                      )}
                    </span>
                  </td>
                  <td data-label="Latest">
                    <Ago at={group.latestAt} />
                  </td>
                  {canWrite && (
                    <td data-label="">
                      <button type="button" className="btn" onClick={() => replay(targetOf(group))}>
                        <RotateCcw size={14} aria-hidden="true" />
                        Replay…
                      </button>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      {replayed && <ReplayDialog {...replayed} onClose={() => replay(null)} />}
    </>
  );
}

const targetOf = ({ receiver, error }: DeadLetterList['groups'][number]): ReplayTarget => ({
  title: `Replay the dead letters of ${receiver}`,
  which: { receiver, error },
});

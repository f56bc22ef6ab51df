import type { Run } from '@carillon/client';
import { Link } from '@tanstack/react-router';
import { formatMs } from '../format/time.js';
import { OutcomeWord } from '../ui/outcome.js';
import { Instant } from '../ui/times.js';

/** Says in one sentence how a run went. */
export function runWords(run: Run): string {
  const again = run.replays > 0 ? `, replayed ${run.replays === 1 ? 'once' : `${run.replays} times`}` : '';
  const attempts = run.attemptCount > 1 ? ` at attempt ${run.attemptCount}` : '';
  switch (run.status) {
    case 'succeeded':
      return `delivered in ${formatMs(run.durationMs)}${attempts}${again}`;
    case 'failed':
      return `${run.lastError ?? run.reason ?? 'no reason was recorded'}${run.attemptCount > 1 ? `, after ${run.attemptCount} attempts` : ''}${again}`;
    case 'retrying':
      return `attempt ${run.attemptCount} failed: ${run.lastError ?? 'no reason was recorded'}`;
    case 'skipped':
    case 'cancelled':
      return run.reason ?? 'no reason was recorded';
    case 'queued':
      return 'waits for its turn';
    case 'running':
      return `under way${attempts}`;
  }
}

export function RunTable({
  runs,
  hasSchedule = true,
  zone,
}: {
  runs: readonly Run[];
  hasSchedule?: boolean;
  zone?: string;
}) {
  return (
    <table className="rows">
      <thead>
        <tr>
          <th>Occurrence</th>
          {hasSchedule && <th>Schedule</th>}
          <th>Outcome</th>
          <th>Why</th>
          <th className="num">Late by</th>
          <th className="num">Took</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            <td data-label="Occurrence" className="whitespace-nowrap">
              <Link to="/runs/$id" params={{ id: run.id }} className="link">
                <Instant at={run.occurrenceAt} zone={zone} />
              </Link>
            </td>
            {hasSchedule && (
              <td data-label="" className="max-w-56 truncate max-md:order-first max-md:font-medium">
                <Link to="/schedules/$id" params={{ id: run.scheduleId }} className="hover:underline">
                  {run.scheduleId}
                </Link>
              </td>
            )}
            <td data-label="Outcome">
              <OutcomeWord outcome={run.status} />
            </td>
            <td data-label="Why" className="w-full">
              <span className="line-clamp-2">
                {run.origin !== 'rule' && <span className="chip mr-1.5">{run.origin}</span>}
                {runWords(run)}
              </span>
            </td>
            <td data-label="Late by" className="num whitespace-nowrap max-md:!hidden">
              {formatMs(run.latenessMs)}
            </td>
            <td data-label="Took" className="num whitespace-nowrap max-md:!hidden">
              {formatMs(run.durationMs)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

import type { Alert } from '@carillon/client';
import { Link } from '@tanstack/react-router';
import { OutcomeGlyph } from '../ui/outcome.js';
import { Ago, Instant } from '../ui/times.js';

const OBJECTIVES: Record<Alert['kind'], string> = {
  start: 'Start',
  end: 'End',
  duration: 'Duration',
  success_rate: 'Success rate',
};

/**
 * A table of breaches, the times in which a schedule did not meet one of its objectives. Each row describes a breach
 * and how it ended.
 */
export function AlertTable({
  alerts,
  hasSchedule = true,
}: {
  alerts: readonly Alert[];
  hasSchedule?: boolean;
}) {
  return (
    <table className="rows">
      <thead>
        <tr>
          <th>Since</th>
          {hasSchedule && <th>Schedule</th>}
          <th>Objective</th>
          <th>What happened</th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <tr key={alert.id}>
            <td data-label="Since" className="whitespace-nowrap">
              <span className="inline-flex items-baseline gap-2">
                <OutcomeGlyph outcome={alert.state === 'open' ? 'due' : 'succeeded'} />
                <span>
                  <span className="sr-only">{alert.state === 'open' ? 'Open' : 'Resolved'}, </span>
                  <Ago at={alert.openedAt} />
                </span>
              </span>
            </td>
            {hasSchedule && (
              <td data-label="Schedule" className="md:min-w-36">
                <Link to="/schedules/$id" params={{ id: alert.scheduleId }} className="link break-words">
                  {alert.scheduleName ?? alert.scheduleId}
                </Link>
              </td>
            )}
            <td data-label="Objective" className="whitespace-nowrap">
              {OBJECTIVES[alert.kind]}
            </td>
            <td data-label="What happened" className="w-full">
              <div className="min-w-0 [overflow-wrap:anywhere]">
                {alert.sentence}
                {alert.why && <div className="text-soft">Ledger: {alert.why}</div>}
                {alert.resolution && <div className="text-soft">{alert.resolution}</div>}
                {alert.silenced && (
                  <div className="text-xs text-faint">
                    Not told: it began and ended within a maintenance window, at{' '}
                    <Instant at={alert.openedAt} />.
                  </div>
                )}
              </div>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

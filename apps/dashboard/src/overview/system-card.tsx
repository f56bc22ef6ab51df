import { Link } from '@tanstack/react-router';
import { useSystem, useWorkers } from '../api/session.js';
import { formatCount, formatMs } from '../format/time.js';
import { OutcomeGlyph } from '../ui/outcome.js';
import { Card } from '../ui/parts.js';

const MAX_WORKERS = 8;

/** The health of the workers, of Postgres and of Redis in one row, with the drift that the engine has repaired. */
export function SystemCard() {
  const { data, isError } = useSystem();
  const workers = useWorkers();
  const alive = workers.data?.items.filter(({ status }) => status === 'alive').slice(0, MAX_WORKERS) ?? [];
  return (
    <Card
      title="Engine"
      side={
        <Link to="/system" className="link">
          Workers and system
        </Link>
      }
    >
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4">
        <Part name="Postgres" isWell={!isError} value={isError ? 'no answer' : 'up'} />
        <Part name="Redis" isWell={data?.redis === 'up'} value={data?.redis.replaceAll('_', ' ') ?? '–'} />
        <Part
          name="Workers alive"
          isWell={(data?.workers.alive ?? 0) > 0}
          value={data ? formatCount(data.workers.alive) : '–'}
        />
        <Part name="In hand" isWell value={data ? formatCount(data.workers.inFlight) : '–'} />
        <Part
          name="Due now"
          isWell={data?.windows.minute.drift.overdue.count === 0}
          value={data ? formatCount(data.backlog.schedules + data.backlog.runs) : '–'}
        />
        <Part
          name="Bells armed"
          isWell={data?.bells.armed !== null}
          value={data?.bells.armed === null ? 'unknown' : formatCount(data?.bells.armed ?? 0)}
        />
        <Part
          name="Circuits open"
          isWell={data?.circuits.open === 0}
          value={data ? formatCount(data.circuits.open) : '–'}
        />
        <Part
          name="Last sweep"
          isWell={(data?.sweep.ageMs ?? 0) < 60_000}
          value={data?.sweep.ageMs === null ? 'never' : `${formatMs(data?.sweep.ageMs ?? 0)} ago`}
        />
      </dl>
      <ul className="mt-4 flex flex-wrap gap-x-5 gap-y-1 border-t border-line pt-3 text-sm text-soft">
        {alive.map(({ id, host, pid, inFlight }) => (
          <li key={id}>
            <OutcomeGlyph outcome="active" size={9} /> worker {id}{' '}
            <span className="text-faint">
              ({host}, {pid})
            </span>
            : {formatCount(inFlight)} in hand
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A figure of the whole installation, with a link to its details on the system page. */
const Part = ({ name, value, isWell }: { name: string; value: string; isWell: boolean }) => (
  <div className="min-w-0">
    <dt className="text-xs text-faint">{name}</dt>
    <dd className="flex items-center gap-1.5 font-medium">
      <OutcomeGlyph outcome={isWell ? 'succeeded' : 'failed'} size={9} />
      <Link to="/system" className="truncate hover:underline">
        {value}
      </Link>
      <span className="sr-only">{isWell ? '(well)' : '(not well)'}</span>
    </dd>
  </div>
);

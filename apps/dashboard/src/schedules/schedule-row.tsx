import type { ListedSchedule } from '@carillon/client';
import { Link } from '@tanstack/react-router';
import { OutcomeWord } from '../ui/outcome.js';
import { Strip } from '../ui/strip.js';
import { Ago } from '../ui/times.js';
import { NextCell } from './next-cell.js';
import { targetWords } from './target-words.js';

/** One schedule in the list of schedules. */
export function ScheduleRow({
  schedule,
  isPicked,
  onPick,
}: {
  schedule: ListedSchedule;
  isPicked: boolean;
  onPick: ((isOn: boolean) => void) | null;
}) {
  const { id, name, tags, text, timezone, recent = [] } = schedule;
  const last = recent[0];
  return (
    <tr className={isPicked ? 'bg-accent-weak' : ''}>
      {onPick && (
        <td data-label="" className="pick">
          <input
            type="checkbox"
            aria-label={`Select ${name ?? id}`}
            checked={isPicked}
            onChange={({ target }) => onPick(target.checked)}
          />
        </td>
      )}
      <td data-label="">
        <Link
          to="/schedules/$id"
          params={{ id }}
          className="-mt-0.5 block truncate leading-6 font-medium hover:underline"
          title={name ?? id}
        >
          {name ?? id}
        </Link>
        <div className="mt-px flex min-w-0 items-center gap-1 overflow-hidden">
          {name !== null && <span className="truncate text-xs text-faint">{id}</span>}
          {tags.map((tag) => (
            <Link
              key={tag}
              to="/schedules"
              search={{ tag }}
              className="chip min-h-6 hover:border-line-strong"
            >
              {tag}
            </Link>
          ))}
        </div>
      </td>
      <td data-label="Rule">
        <div className="min-w-0">
          <div className="line-clamp-2" title={text}>
            {text}
          </div>
          <div className="text-xs text-faint">{timezone}</div>
        </div>
      </td>
      <td data-label="Next" className="">
        <NextCell schedule={schedule} />
      </td>
      <td data-label="Last" className={last ? '' : 'max-md:!hidden'}>
        {last ? (
          <div>
            <Link to="/runs/$id" params={{ id: last.runId }}>
              <OutcomeWord outcome={last.status} />
            </Link>
            <div className="text-xs text-faint">
              <Ago at={last.at} />
            </div>
          </div>
        ) : (
          <span className="text-faint">–</span>
        )}
      </td>
      <td data-label="Last 30" className={last ? '' : 'max-md:!hidden'}>
        <Strip recent={recent} />
      </td>
      <td data-label="Target" className="text-soft" title={targetWords(schedule.target)}>
        {/* A space of zero width before each slash lets a long URL break there. */}
        <span className="line-clamp-2 break-words">
          {targetWords(schedule.target).replaceAll('/', '\u200b/')}
        </span>
      </td>
    </tr>
  );
}

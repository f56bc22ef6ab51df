import { type Schedule, setOfSchedule } from '@carillon/client';
import { Link } from '@tanstack/react-router';

/** Says that a schedule comes from a file, with a link to the schedules of its set. */
export function ManagedBy({ schedule }: { schedule: Schedule }) {
  const set = setOfSchedule(schedule);
  if (set === null) return null;
  return (
    <div className="text-xs text-soft">
      managed by{' '}
      <Link to="/schedules" search={{ tag: `set:${set}` }} className="link">
        set {set}
      </Link>
    </div>
  );
}

/** Warns before an edit by hand of a schedule that comes from a file. */
export function ManagedNotice({ schedule }: { schedule: Schedule }) {
  const set = setOfSchedule(schedule);
  if (set === null) return null;
  return (
    <p role="note" className="card mb-4 px-4 py-3 text-sm">
      This schedule is managed by the files of the set {set}. The next <code>carillon apply</code> of these
      files overwrites an edit that is made here.
    </p>
  );
}

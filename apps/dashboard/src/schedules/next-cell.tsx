import type { Schedule } from '@carillon/client';
import { OutcomeWord } from '../ui/outcome.js';
import { Countdown, Instant } from '../ui/times.js';

/** When a schedule fires next, or why it does not fire. */
export function NextCell({
  schedule,
}: {
  schedule: Pick<Schedule, 'status' | 'nextRunAt' | 'pause' | 'timezone'>;
}) {
  const { status, nextRunAt, pause, timezone } = schedule;
  if (status === 'paused') {
    return (
      <div className="min-w-0">
        <OutcomeWord outcome="paused" />
        <PauseWords pause={pause} zone={timezone} />
      </div>
    );
  }
  if (status !== 'active') return <OutcomeWord outcome={status} />;
  if (nextRunAt === null) return <span className="text-faint">nothing left</span>;
  return (
    <div>
      <Countdown at={nextRunAt} />
      <div className="text-xs text-faint">
        <Instant at={nextRunAt} zone={timezone} />
      </div>
    </div>
  );
}

/** A pause in words: `by ops until 19 Nov 09:00: incident 7`. */
export function PauseWords({ pause, zone }: { pause: Schedule['pause']; zone: string }) {
  if (!pause) return null;
  return (
    <div className="text-xs text-faint">
      {pause.by && <>by {pause.by} </>}
      {pause.until && (
        <>
          until <Instant at={pause.until} zone={zone} />
        </>
      )}
      {pause.note && <div className="line-clamp-2 text-soft">“{pause.note}”</div>}
    </div>
  );
}

import { useNow } from '../api/clock.js';
import { useZone } from '../api/preferences.js';
import { formatAgo, formatCountdown, formatFull, formatInstant, formatSpan } from '../format/time.js';

/** Shows an instant in the time zone that the user chose. The tooltip has the full instant, also in UTC. */
export function Instant({ at, zone: ownZone }: { at: string | number | null; zone?: string | undefined }) {
  const zone = useZone(ownZone);
  const now = useNow();
  if (at === null) return <span className="text-faint">–</span>;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const full = formatFull(ms, zone);
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      title={zone === 'UTC' ? full : `${full} · ${new Date(ms).toISOString()}`}
      className="whitespace-nowrap"
    >
      {formatInstant(ms, { zone, now })}
    </time>
  );
}

export function Ago({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span className="text-faint">–</span>;
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {formatAgo(now - Date.parse(at))}
    </time>
  );
}

/**
 * How long an occurrence may be late before the page calls it overdue. It is not zero, because a worker needs a moment
 * to claim a due occurrence.
 */
const OVERDUE_AFTER_MS = 5_000;

/** Counts down to an occurrence. An occurrence in the past is never shown as upcoming. */
export function Countdown({ at, prefix = 'in ' }: { at: string; prefix?: string }) {
  const now = useNow();
  const left = Date.parse(at) - now;
  if (left < -OVERDUE_AFTER_MS) {
    return <span className="font-medium whitespace-nowrap text-fail">overdue {formatSpan(-left)}</span>;
  }
  return <span className="whitespace-nowrap">{left <= 0 ? 'now' : `${prefix}${formatCountdown(left)}`}</span>;
}

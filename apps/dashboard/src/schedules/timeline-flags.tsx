import type { AuditEntry, LedgerEntry } from '@carillon/client';
import { CircleX, ClockArrowDown, ClockArrowUp, Flag, type LucideIcon, Pause, Play } from 'lucide-react';
import { DAY_MS, formatFull, formatSpan, offsetAt, shortZone } from '../format/time.js';
import { clockChanges } from './clock-changes.js';

/** A mark on the timeline for a change of the schedule or a clock change of its zone. */
export interface TimelineFlag {
  key: string;
  at: number;
  Icon: LucideIcon;
  word: string;
  /** For a change of the schedule: its author, the note, and the end of a pause. For a clock change: its effect. */
  sentence: string;
}

const KINDS: Record<string, { Icon: LucideIcon; word: string }> = {
  'schedule.edited': { Icon: Flag, word: 'edited' },
  'schedule.replaced': { Icon: Flag, word: 'replaced' },
  'schedule.paused': { Icon: Pause, word: 'paused' },
  'schedule.resumed': { Icon: Play, word: 'resumed' },
  'schedule.cancelled': { Icon: CircleX, word: 'cancelled' },
};

/** The flags for the changes of a schedule in a range of time, from the audit log. */
export function flagsOf(
  changes: readonly AuditEntry[],
  { fromAt, toAt }: { fromAt: number; toAt: number },
  zone: string,
): TimelineFlag[] {
  // The audit log is newest first. Reversing it puts changes of the same instant into the order in which they were
  // made.
  return changes.toReversed().flatMap(({ id, at: text, action, actor, detail }) => {
    const kind = KINDS[action];
    const at = Date.parse(text);
    if (!kind || at < fromAt || at > toAt) return [];
    const sentence = `by ${actor}${detailWords(detail, zone)}`;
    return [{ key: `change ${id}`, at, ...kind, sentence }];
  });
}

function detailWords(detail: unknown, zone: string): string {
  const { note, untilAt, version } = (detail ?? {}) as {
    note?: string | null;
    untilAt?: number | null;
    version?: number;
  };
  return [
    version === undefined ? '' : `, version ${version}`,
    untilAt ? ` until ${formatFull(untilAt, zone)}` : '',
    note ? `: ${note}` : '',
  ].join('');
}
/** True if the remark of a ledger entry is about a clock change. */
export const isClockRemark = (remark: string | null): boolean => remark?.startsWith('clocks go ') ?? false;

/** The flags for clock changes in a range of time. Each says what the change does to the occurrences near it. */
export function clockFlagsOf(
  { fromAt, toAt, entries }: { fromAt: number; toAt: number; entries: readonly LedgerEntry[] },
  zone: string,
): TimelineFlag[] {
  return clockChanges(fromAt, toAt, zone).map(({ at, byMs }) => {
    const affected = entries.find(
      ({ at: each, remark }) => isClockRemark(remark) && Math.abs(Date.parse(each) - at) < DAY_MS,
    );
    // The local time that clocks would show at this instant if they did not change: by the UTC offset of one second
    // before.
    const before = clockAt(at, at - 1_000, zone);
    return {
      key: `clocks ${at}`,
      at,
      Icon: byMs > 0 ? ClockArrowUp : ClockArrowDown,
      word: `clocks go ${byMs > 0 ? 'forward' : 'back'} ${formatSpan(Math.abs(byMs))}`,
      sentence: `${before} becomes ${clockAt(at, at, zone)}: ${affected?.remark?.replace(/^[^:]*: /, '') ?? 'no occurrence is moved or doubled'}`,
    };
  });
}

/** Formats an instant as local time, such as `02:00 CET`, with the offset that the zone has at another instant. */
const clockAt = (at: number, offsetOfAt: number, zone: string) =>
  `${new Date(at + offsetAt(offsetOfAt, zone)).toISOString().slice(11, 16)} ${shortZone(offsetOfAt, zone)}`;

import type { AuditEntry, LedgerEntry } from '@carillon/client';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useNow } from '../api/clock.js';
import { useZone } from '../api/preferences.js';
import { DAY_MS, formatDay, formatFull, formatMinute } from '../format/time.js';
import { lookOf, OutcomeGlyph, OutcomeWord } from '../ui/outcome.js';
import { clockFlagsOf, flagsOf, isClockRemark, type TimelineFlag } from './timeline-flags.js';
import type { LedgerWindow } from './use-schedule.js';

const keyOf = (entry: LedgerEntry) => `${entry.at} ${entry.origin} ${entry.runId ?? ''}`;

/** A mark on the timeline: an occurrence, an edit or pause of the schedule, or a DST change. */
type Mark =
  | { kind: 'occurrence'; key: string; at: number; entry: LedgerEntry }
  | ({ kind: 'flag' } & TimelineFlag);

/**
 * The occurrences on a line: past ones to the left of now, coming ones to the right. Edits, pauses, resumes and clock
 * changes are flags above the line. The arrow keys move from mark to mark, and the sentence below explains the selected
 * mark.
 */
export function Timeline({
  span,
  changes,
  zone: ownZone,
}: {
  span: LedgerWindow;
  changes: readonly AuditEntry[];
  zone: string;
}) {
  const now = useNow();
  const zone = useZone(ownZone);
  const { fromAt, toAt, entries } = span;
  const [chosenKey, choose] = useState<string | null>(null);
  const line = useRef<HTMLDivElement>(null);
  const place = (at: number) =>
    `${(Math.min(1, Math.max(0, (at - fromAt) / (toAt - fromAt))) * 100).toFixed(3)}%`;
  const clockFlags = useMemo(() => clockFlagsOf(span, ownZone), [span, ownZone]);
  const marks: Mark[] = [
    ...entries.map((entry) => ({
      kind: 'occurrence' as const,
      key: keyOf(entry),
      at: Date.parse(entry.at),
      entry,
    })),
    ...[...flagsOf(changes, span, zone), ...clockFlags].map((flag) => ({ kind: 'flag' as const, ...flag })),
  ].toSorted((a, b) => a.at - b.at);
  const latest = marks.findLast((mark) => mark.kind === 'occurrence' && mark.entry.status !== 'upcoming');
  const chosen = marks.find(({ key }) => key === chosenKey) ?? latest ?? marks[0];

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0 || !chosen) return;
    event.preventDefault();
    const index = Math.min(marks.length - 1, Math.max(0, marks.indexOf(chosen) + step));
    const next = marks[index];
    if (!next) return;
    choose(next.key);
    line.current?.querySelectorAll<HTMLElement>('[data-mark]')[index]?.focus();
  };
  const edge = (at: number) => (toAt - fromAt > 2 * DAY_MS ? formatDay(at, zone) : formatMinute(at, zone));

  return (
    <div>
      <div
        ref={line}
        role="group"
        aria-label="Timeline of occurrences and changes. Use the arrow keys."
        onKeyDown={onKeyDown}
        className="relative mx-2 h-20"
      >
        <div className="absolute inset-x-0 top-10 border-t border-line-strong" />
        <div className="absolute top-3 bottom-3 border-l-2 border-accent" style={{ left: place(now) }}>
          <span className="absolute -top-3 -translate-x-1/2 bg-surface px-1 text-xs font-medium text-accent">
            now
          </span>
        </div>
        {marks.map((mark) => {
          const { key, at } = mark;
          const isChosen = mark === chosen;
          const shared = {
            type: 'button' as const,
            'data-mark': true,
            tabIndex: isChosen ? 0 : -1,
            'aria-label': labelOf(mark, zone),
            'aria-pressed': isChosen,
            onClick: () => choose(key),
            onFocus: () => choose(key),
          };
          if (mark.kind === 'flag') {
            return (
              <button
                key={key}
                {...shared}
                className={`absolute top-0.5 flex h-6 w-6 -translate-x-1/2 cursor-pointer items-center justify-center rounded text-hold ${isChosen ? 'bg-accent-weak ring-2 ring-accent' : 'hover:bg-sunken'}`}
                style={{ left: place(at) }}
                title={`${mark.word} ${mark.sentence}`}
              >
                <mark.Icon size={13} aria-hidden="true" />
              </button>
            );
          }
          const { entry } = mark;
          const until = entry.until === null ? null : Date.parse(entry.until);
          if (entry.count > 1 && until !== null) {
            return (
              <button
                key={key}
                {...shared}
                className={`hatched @container absolute top-[28px] flex h-6 min-w-7 cursor-pointer items-center justify-center rounded border text-xs ${isChosen ? 'border-accent ring-2 ring-accent' : 'border-line-strong'}`}
                style={{ left: place(at), right: `calc(100% - ${place(until)})` }}
                title={`${entry.count} occurrences: ${entry.why}`}
              >
                <span className="truncate rounded bg-surface px-1">
                  {entry.count}
                  <span className="hidden @min-[140px]:inline"> {entry.why}</span>
                </span>
              </button>
            );
          }
          return (
            <button
              key={key}
              {...shared}
              className={`absolute top-7 flex h-6 w-6 -translate-x-1/2 cursor-pointer items-center justify-center rounded-full ${isChosen ? 'bg-accent-weak ring-2 ring-accent' : 'hover:bg-sunken'}`}
              style={{ left: place(at) }}
            >
              <OutcomeGlyph outcome={entry.status} size={12} />
              {isClockRemark(entry.remark) && <span className="absolute top-6 text-xs text-hold">DST</span>}
            </button>
          );
        })}
        <span className="absolute bottom-0 left-0 text-xs text-faint">{edge(fromAt)}</span>
        <span className="absolute right-0 bottom-0 text-xs text-faint">{edge(toAt)}</span>
      </div>
      <div
        className="mt-2 flex min-h-[42px] flex-wrap items-baseline gap-x-2 rounded-md bg-sunken px-3 py-2.5 text-sm"
        aria-live="polite"
      >
        {chosen ? (
          <Sentence mark={chosen} zone={zone} />
        ) : (
          <span className="text-soft">No occurrence in this stretch of time.</span>
        )}
      </div>
    </div>
  );
}

function labelOf(mark: Mark, zone: string): string {
  if (mark.kind === 'flag') return `${formatFull(mark.at, zone)}: ${mark.word} ${mark.sentence}`;
  const { count, status, why, remark } = mark.entry;
  const label = `${formatFull(mark.at, zone)}: ${lookOf(status).word}, ${why}${remark ? `, ${remark}` : ''}`;
  return count > 1 ? `${count} occurrences from ${label}` : label;
}

function Sentence({ mark, zone }: { mark: Mark; zone: string }) {
  const at = <span className="whitespace-nowrap text-soft">{formatFull(mark.at, zone)}</span>;
  if (mark.kind === 'flag') {
    return (
      <>
        <span className="font-medium">
          <mark.Icon size={13} aria-hidden="true" className="mr-1.5 inline text-hold" />
          {mark.word}
        </span>
        {at}
        <span>{mark.sentence}</span>
      </>
    );
  }
  const { status, count, why, remark } = mark.entry;
  return (
    <>
      <OutcomeWord outcome={status} />
      {at}
      <span>
        {count > 1 && `${count} occurrences: `}
        {why}
        {remark && ` · ${remark}`}
      </span>
    </>
  );
}

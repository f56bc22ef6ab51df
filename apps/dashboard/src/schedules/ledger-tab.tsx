import type { LedgerEntry } from '@carillon/client';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Story } from '../runs/story.js';
import { OutcomeWord } from '../ui/outcome.js';
import { Empty, LoadMore } from '../ui/parts.js';
import { Instant } from '../ui/times.js';
import type { LedgerWindow } from './use-schedule.js';

/** Number of coming occurrences at the beginning of the ledger. */
const COMING_SHOWN = 3;

/**
 * The ledger of a schedule, newest first: each occurrence of its rule, with one word for its outcome and one sentence
 * for the reason.
 */
export function LedgerTab({
  windows,
  zone,
  hasMore,
  isLoading,
  onMore,
}: {
  windows: readonly LedgerWindow[];
  zone: string;
  hasMore: boolean;
  isLoading: boolean;
  onMore: () => void;
}) {
  const [isAllShown, showAll] = useState(false);
  const all = windows.flatMap((span) => span.entries.toReversed());
  const coming = all.filter(({ status }) => status === 'upcoming');
  const hidden = isAllShown ? 0 : Math.max(0, coming.length - COMING_SHOWN);
  const entries = all.slice(hidden);
  if (entries.length === 0 && !hasMore) return <Empty title="The rule has named no occurrence yet" />;
  return (
    <>
      {hidden > 0 && (
        <button
          type="button"
          className="w-full cursor-pointer border-b border-line py-1.5 text-center text-sm text-soft hover:bg-sunken"
          onClick={() => showAll(true)}
        >
          {hidden} more to come: show
        </button>
      )}
      <table className="rows">
        <thead>
          <tr>
            <th>Named for</th>
            <th>Outcome</th>
            <th>Why</th>
            <th>Version</th>
            <th>Run</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <LedgerRow key={`${entry.at} ${entry.origin} ${entry.runId ?? ''}`} entry={entry} zone={zone} />
          ))}
        </tbody>
      </table>
      <LoadMore hasMore={hasMore} isLoading={isLoading} onMore={onMore} />
    </>
  );
}

function LedgerRow({ entry, zone }: { entry: LedgerEntry; zone: string }) {
  return (
    <tr className={entry.count > 1 ? 'hatched' : ''}>
      <td data-label="Named for" className="whitespace-nowrap">
        <span>
          <Instant at={entry.at} zone={zone} />
          {entry.until && (
            <>
              {' – '}
              <Instant at={entry.until} zone={zone} />
            </>
          )}
        </span>
      </td>
      <td data-label="Outcome">
        <span className="inline-flex items-center gap-2">
          <OutcomeWord outcome={entry.status} />
          {entry.count > 1 && <span className="chip">{entry.count} occurrences</span>}
        </span>
      </td>
      <td data-label="Why" className="w-full">
        <span>
          {entry.why}
          {entry.remark && <span className="text-hold"> · {entry.remark}</span>}
          {entry.story.length > 1 && (
            <details className="mt-1">
              <summary className="cursor-pointer text-xs text-soft">{entry.story.length} steps</summary>
              <div className="mt-1">
                <Story steps={entry.story} zone={zone} />
              </div>
            </details>
          )}
        </span>
      </td>
      <td data-label="Version" className="num text-soft">
        {entry.version}
      </td>
      <td data-label="Run">
        {entry.runId && (
          <Link to="/runs/$id" params={{ id: entry.runId }} className="link">
            open
          </Link>
        )}
      </td>
    </tr>
  );
}

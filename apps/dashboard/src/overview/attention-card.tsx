import type { AttentionList } from '@carillon/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { carillon } from '../api/carillon.js';
import { formatCount } from '../format/time.js';
import type { AttentionKind } from '../search.js';
import { type Outcome, OutcomeGlyph } from '../ui/outcome.js';
import { Card, Problem, SkeletonRows } from '../ui/parts.js';
import { Ago, Instant } from '../ui/times.js';

const MAX_COUNTED = 1_000;

/** Schedules that a person should look at, most urgent first. */
export function AttentionCard() {
  const attention = useQuery({
    queryKey: ['overview', 'attention'],
    queryFn: ({ signal }) => carillon.attention({ signal }),
    refetchInterval: 15_000,
  });
  const { data } = attention;
  const isCalm =
    data &&
    data.herd === null &&
    [data.breaching, data.failing, data.paused, data.overdue, data.blocked].every(({ count }) => count === 0);
  return (
    <Card title="Needs attention" isFlush>
      {attention.isPending && <SkeletonRows rows={3} />}
      {attention.error && <Problem error={attention.error} />}
      {isCalm && (
        <p className="flex items-center gap-2 px-4 py-4 text-sm text-soft">
          <Check size={16} className="text-ok" aria-hidden="true" />
          Nothing. No schedule is failing, overdue, blocked or in breach of an objective.
        </p>
      )}
      {data && (
        <>
          <Group outcome="overdue" words="overdue" kind="overdue" list={data.overdue} />
          <Group outcome="due" words="in breach of an objective" kind="breaching" list={data.breaching} />
          <Group outcome="failed" words="failed within the last day" kind="failing" list={data.failing} />
          <Group outcome="paused" words="paused by Carillon" kind="paused" list={data.paused} />
          <Group outcome="queued" words="waiting for an open circuit" kind="blocked" list={data.blocked} />
          {data.herd && (
            <Link
              to="/forecast"
              search={{ minute: data.herd.at }}
              className="flex items-baseline gap-2 border-t border-line px-4 py-2.5 text-sm first:border-0 hover:bg-sunken"
            >
              <OutcomeGlyph outcome="retrying" />
              <span>
                <strong>{formatCount(data.herd.fires)}</strong> fires in one minute, at{' '}
                <Instant at={data.herd.at} />
              </span>
            </Link>
          )}
        </>
      )}
    </Card>
  );
}

function Group({
  outcome,
  words,
  kind,
  list,
}: {
  outcome: Outcome;
  words: string;
  kind: AttentionKind;
  list: AttentionList;
}) {
  if (list.count === 0) return null;
  return (
    <div className="border-t border-line px-4 py-2.5 text-sm first:border-0">
      <Link
        to="/schedules"
        search={{ attention: kind }}
        className="flex min-h-6 w-fit items-center gap-2 hover:underline"
      >
        <OutcomeGlyph outcome={outcome} />
        <span>
          <strong>
            {formatCount(list.count)}
            {list.count >= MAX_COUNTED ? ' or more' : ''}
          </strong>{' '}
          {words}
        </span>
      </Link>
      <ul className="mt-1 ml-[18px]">
        {list.items.slice(0, 3).map(({ id, name, at, note }) => (
          <li key={id} className="py-0.5">
            <div className="flex min-h-6 items-center justify-between gap-2">
              <Link to="/schedules/$id" params={{ id }} className="link min-w-0 truncate">
                {name ?? id}
              </Link>
              <span className="shrink-0 text-xs text-faint">
                <Ago at={at} />
              </span>
            </div>
            {note && (
              <div className="truncate text-xs text-faint" title={note}>
                {withoutName(note, { id, name })}
              </div>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/**
 * Removes the name of the schedule from the start of a sentence about a breach, because the card already shows the
 * name.
 */
function withoutName(note: string, { id, name }: { id: string; name: string | null }): string {
  const subject = name === null ? id : `${name} (${id})`;
  return note.startsWith(`${subject} `) ? note.slice(subject.length + 1) : note;
}

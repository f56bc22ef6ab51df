import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { explainError } from '../api/carillon.js';

export function PageTitle({
  title,
  children,
  lead,
}: {
  title: ReactNode;
  children?: ReactNode;
  lead?: ReactNode;
}) {
  return (
    <div className="mb-4 flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
      <div className="min-w-0">
        <h1 className="break-words">{title}</h1>
        {lead && <p className="mt-0.5 max-w-[90ch] text-soft">{lead}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </div>
  );
}

export function Card({
  title,
  children,
  side,
  isFlush = false,
}: {
  title?: ReactNode;
  children: ReactNode;
  side?: ReactNode;
  isFlush?: boolean;
}) {
  return (
    <section className="card min-w-0">
      {title && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-1.5">
          <h2>{title}</h2>
          {side && <div className="flex flex-wrap items-center gap-2 text-sm text-soft">{side}</div>}
        </div>
      )}
      <div className={isFlush ? '' : 'p-4'}>{children}</div>
    </section>
  );
}

export const Skeleton = ({ width = '8rem' }: { width?: string }) => (
  <span className="skeleton" style={{ width }} aria-hidden="true" />
);

/** Empty rows of the same height as the data, so that nothing moves when the data arrives. */
export function SkeletonRows({ rows = 8 }: { rows?: number | undefined }) {
  return (
    <div aria-busy="true">
      <span className="sr-only">Loading</span>
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="flex h-[37px] items-center gap-6 border-b border-line px-3 last:border-0">
          <Skeleton width="9rem" />
          <Skeleton width="14rem" />
          <Skeleton width="6rem" />
        </div>
      ))}
    </div>
  );
}

export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-3 rounded-md bg-fail-weak px-3 py-2 text-sm text-fail"
    >
      <span className="min-w-0 break-words">{explainError(error)}</span>
      {retry && (
        <button type="button" className="btn" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The loading state of a list, and its error with a button to try again. Shows nothing once there is data. */
export function QueryState({
  query,
  rows,
}: {
  query: { isPending: boolean; error: unknown; refetch: () => Promise<unknown> };
  rows?: number;
}) {
  if (query.isPending) return <SkeletonRows rows={rows} />;
  if (query.error === null) return null;
  return <Problem error={query.error} retry={() => void query.refetch()} />;
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="px-4 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children && <div className="mx-auto mt-1 max-w-[60ch] text-sm text-soft">{children}</div>}
    </div>
  );
}

/** An active filter, with a button that removes it. */
export function FilterChip({
  children,
  onRemove,
  name,
}: {
  children: ReactNode;
  onRemove: () => void;
  name: string;
}) {
  return (
    <span className="chip !bg-accent-weak !text-ink">
      {children}
      <button
        type="button"
        onClick={onRemove}
        aria-label={`Remove filter ${name}`}
        className="-mr-1 cursor-pointer p-0.5"
      >
        <X size={12} aria-hidden="true" />
      </button>
    </span>
  );
}

/** One figure with its name. It links to the list of what it counts, if there is one. */
export function Figure({
  name,
  value,
  note,
  tone = 'text-ink',
}: {
  name: string;
  value: ReactNode;
  note?: ReactNode;
  tone?: string;
}) {
  return (
    <div className="min-w-0">
      <div className="text-xs text-faint">{name}</div>
      <div className={`text-lg font-semibold ${tone}`}>{value}</div>
      {note && <div className="text-xs text-faint">{note}</div>}
    </div>
  );
}

/** Labels and values, one below the other. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(90px,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-faint">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The heading of a column of buttons. It is only for screen readers, which need a name for the column. */
export const ActionHead = () => (
  <th>
    <span className="sr-only">Action</span>
  </th>
);

/** A button that shows the rows that arrived while a person was reading. */
export function NewRows({ rows }: { rows: { newCount: number; showNew: () => void } }) {
  if (rows.newCount === 0) return null;
  return (
    <button
      type="button"
      className="w-full cursor-pointer border-b border-line bg-accent-weak py-1.5 text-center text-sm"
      onClick={rows.showNew}
    >
      {rows.newCount} new: show
    </button>
  );
}

export function LoadMore({
  hasMore,
  isLoading,
  onMore,
}: {
  hasMore: boolean;
  isLoading: boolean;
  onMore: () => void;
}) {
  if (!hasMore) return null;
  return (
    <div className="border-t border-line p-2 text-center">
      <button type="button" className="btn btn-quiet" disabled={isLoading} onClick={onMore}>
        {isLoading ? 'Loading…' : 'Load more'}
      </button>
    </div>
  );
}

import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { carillon } from '../api/carillon.js';
import { Empty, FilterChip, LoadMore, PageTitle, QueryState } from '../ui/parts.js';
import { Instant } from '../ui/times.js';

const route = getRouteApi('/audit');
const ENTRIES_PER_PAGE = 50;

/** The audit log, newest first. */
export function Audit() {
  const filter: { action?: string | undefined; subject?: string | undefined } = route.useSearch();
  const navigate = useNavigate({ from: '/audit' });
  const audit = useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) =>
      carillon.audit({ ...filter, limit: ENTRIES_PER_PAGE, cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const rows = audit.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <PageTitle title="Audit" lead="Every change, who made it, and when." />
      <div className="mb-3 flex flex-wrap gap-2 empty:hidden">
        {(['action', 'subject'] as const).map(
          (name) =>
            filter[name] && (
              <FilterChip
                key={name}
                name={name}
                onRemove={() => void navigate({ to: '/audit', search: { ...filter, [name]: undefined } })}
              >
                {name}: {filter[name]}
              </FilterChip>
            ),
        )}
      </div>
      <div className="card overflow-hidden">
        <QueryState query={audit} rows={12} />
        {audit.isSuccess && rows.length === 0 && <Empty title="Nothing was changed yet" />}
        {rows.length > 0 && (
          <table className="rows">
            <thead>
              <tr>
                <th>When</th>
                <th>Who</th>
                <th>Did</th>
                <th>To</th>
                <th>Detail</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((entry) => (
                <tr key={entry.id}>
                  <td data-label="When" className="whitespace-nowrap">
                    <Instant at={entry.at} />
                  </td>
                  <td data-label="Who" className="whitespace-nowrap">
                    {entry.actor}
                  </td>
                  <td data-label="Did" className="whitespace-nowrap">
                    <Link to="/audit" search={{ ...filter, action: entry.action }} className="link">
                      {entry.action}
                    </Link>
                  </td>
                  <td data-label="To" className="break-words md:whitespace-nowrap">
                    {entry.subject && entry.action.startsWith('schedule.') ? (
                      <Link to="/schedules/$id" params={{ id: entry.subject }} className="hover:underline">
                        {entry.subject}
                      </Link>
                    ) : (
                      entry.subject
                    )}
                  </td>
                  <td
                    data-label="Detail"
                    className="text-xs text-soft md:w-full md:max-w-0 md:truncate"
                    title={JSON.stringify(entry.detail)}
                  >
                    <Detail detail={entry.detail} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <LoadMore
          hasMore={audit.hasNextPage}
          isLoading={audit.isFetchingNextPage}
          onMore={() => void audit.fetchNextPage()}
        />
      </div>
    </>
  );
}

/** The fields of a change, one after the other. Fields that end in `At` are shown as times. */
function Detail({ detail }: { detail: unknown }) {
  if (typeof detail !== 'object' || detail === null) return null;
  const fields = Object.entries(detail).filter(([, value]) => value !== null);
  if (fields.length === 0) return null;
  return (
    <span className="max-md:break-words">
      {fields.map(([name, value], index) => (
        <span key={name}>
          {index > 0 && ' · '}
          <span className="text-faint">{name === 'managedBy' ? 'managed by' : name.replace(/At$/, '')}</span>{' '}
          {name.endsWith('At') && typeof value === 'number' ? (
            <Instant at={value} />
          ) : typeof value === 'string' ? (
            value
          ) : (
            JSON.stringify(value)
          )}
        </span>
      ))}
    </span>
  );
}

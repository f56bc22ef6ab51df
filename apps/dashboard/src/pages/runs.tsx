import type { Run } from '@carillon/client';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { RunTable } from '../runs/run-table.js';
import { useRuns } from '../runs/use-runs.js';
import { Choice } from '../schedules/schedule-filters.js';
import { RUN_STATUSES, type RunsSearch } from '../search.js';
import { Empty, FilterChip, LoadMore, NewRows, PageTitle, QueryState } from '../ui/parts.js';
import { Instant } from '../ui/times.js';
import { useHeldRows } from '../ui/use-held-rows.js';

const route = getRouteApi('/runs');
const keyOf = ({ id }: Run) => id;

/**
 * The list of runs, newest first. Runs that arrive while a person reads wait behind a button, so that the list does not
 * move.
 */
export function Runs() {
  const filter: RunsSearch = route.useSearch();
  const navigate = useNavigate({ from: '/runs' });
  const runs = useRuns(filter);
  const all = runs.data?.pages.flatMap(({ items }) => items) ?? [];
  const rows = useHeldRows(all, keyOf, JSON.stringify(filter), runs.isSuccess && !runs.isPlaceholderData);
  const isFiltered = Object.values(filter).some((value) => value !== undefined);
  const set = (change: Partial<RunsSearch>) =>
    void navigate({ to: '/runs', search: { ...filter, ...change }, replace: true });
  return (
    <>
      <PageTitle title="Runs" />
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Choice
          name="Outcome"
          value={filter.status}
          options={RUN_STATUSES}
          onChange={(status) => set({ status })}
        />
        {filter.status && (
          <FilterChip name="outcome" onRemove={() => set({ status: undefined })}>
            outcome: {filter.status}
          </FilterChip>
        )}
        {filter.schedule && (
          <FilterChip name="schedule" onRemove={() => set({ schedule: undefined })}>
            schedule: {filter.schedule}
          </FilterChip>
        )}
        {filter.from && (
          <FilterChip name="from" onRemove={() => set({ from: undefined })}>
            from <Instant at={filter.from} />
          </FilterChip>
        )}
        {filter.to && (
          <FilterChip name="to" onRemove={() => set({ to: undefined })}>
            to <Instant at={filter.to} />
          </FilterChip>
        )}
      </div>
      <div className="card overflow-hidden">
        <NewRows rows={rows} />
        <QueryState query={runs} rows={14} />
        {runs.isSuccess && rows.shown.length === 0 && (
          <Empty
            title={
              !isFiltered
                ? 'No runs yet'
                : runs.hasNextPage
                  ? 'No run matches among the latest ones'
                  : 'No run matches'
            }
          />
        )}
        {rows.shown.length > 0 && <RunTable runs={rows.shown} />}
        <LoadMore
          hasMore={runs.hasNextPage}
          isLoading={runs.isFetchingNextPage}
          onMore={() => void runs.fetchNextPage()}
        />
      </div>
    </>
  );
}

import type { ListedSchedule } from '@carillon/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ArrowDown, Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { carillon } from '../api/carillon.js';
import { useCan } from '../api/session.js';
import { ReplayDialog } from '../runs/replay-dialog.js';
import { BulkBar } from '../schedules/bulk-bar.js';
import { BulkDialog, type Selection } from '../schedules/bulk-dialog.js';
import type { ActionName } from '../schedules/perform-action.js';
import { ScheduleFilters } from '../schedules/schedule-filters.js';
import { ScheduleRow } from '../schedules/schedule-row.js';
import type { SchedulesSearch } from '../search.js';
import { Empty, LoadMore, NewRows, PageTitle, QueryState } from '../ui/parts.js';
import { useHeldRows } from '../ui/use-held-rows.js';

const route = getRouteApi('/schedules');
const SCHEDULES_PER_PAGE = 50;
const keyOf = ({ id }: ListedSchedule) => id;

const useScheduleList = (search: SchedulesSearch) =>
  useInfiniteQuery({
    queryKey: ['schedules', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      carillon.schedules
        .list({ ...search, include: 'recent', limit: SCHEDULES_PER_PAGE, cursor: pageParam }, { signal })
        .page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: (before) => before,
  });

/** The list of schedules: search, filters in the URL, and actions on many schedules after a dry run. */
export function Schedules() {
  const search: SchedulesSearch = route.useSearch();
  const { order, ...filter } = search;
  const canWrite = useCan('write');
  const list = useScheduleList(search);
  const listKey = JSON.stringify(search);
  const all = list.data?.pages.flatMap(({ items }) => items) ?? [];
  const rows = useHeldRows(all, keyOf, listKey, list.isSuccess && !list.isPlaceholderData);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setIsAll] = useState(false);
  const [action, setAction] = useState<ActionName | 'replay' | null>(null);
  useEffect(() => clear(), [listKey]);

  const clear = () => {
    setPicked(new Set());
    setIsAll(false);
  };
  const pick = (id: string, isOn: boolean) => {
    setIsAll(false);
    setPicked((before) => {
      const next = new Set(before);
      if (isOn) next.add(id);
      else next.delete(id);
      return next;
    });
  };
  const pickedRows = rows.shown.filter(({ id }) => picked.has(id));
  const areAllPicked = rows.shown.length > 0 && pickedRows.length === rows.shown.length;
  const selection: Selection = isAll ? { kind: 'all', filter } : { kind: 'rows', rows: pickedRows };
  const isFiltered = Object.values(filter).some((value) => value !== undefined);

  return (
    <>
      <PageTitle title="Schedules">
        {canWrite && (
          <Link to="/schedules/new" className="btn btn-primary">
            <Plus size={15} aria-hidden="true" />
            New schedule
          </Link>
        )}
      </PageTitle>
      <ScheduleFilters />
      <div className="card mt-3 overflow-hidden">
        {canWrite && (pickedRows.length > 0 || isAll) && (
          <BulkBar
            count={isAll ? null : pickedRows.length}
            canTakeAll={areAllPicked && list.hasNextPage && !isAll}
            onAll={() => setIsAll(true)}
            onClear={clear}
            onAction={setAction}
          />
        )}
        <NewRows rows={rows} />
        <QueryState query={list} rows={12} />
        {list.isSuccess && rows.shown.length === 0 && (
          <Empty title={isFiltered ? 'No schedule matches' : 'No schedules yet'}>
            {isFiltered ? (
              <Link to="/schedules" className="link">
                Remove all filters
              </Link>
            ) : (
              canWrite && (
                <Link to="/schedules/new" className="link">
                  Create the first one
                </Link>
              )
            )}
          </Empty>
        )}
        {rows.shown.length > 0 && (
          <table className="rows rows-fixed">
            <thead>
              <tr>
                {canWrite && (
                  <th className="w-9">
                    <input
                      type="checkbox"
                      aria-label="Select all shown"
                      checked={areAllPicked}
                      onChange={({ target }) =>
                        setPicked(new Set(target.checked ? rows.shown.map(keyOf) : []))
                      }
                    />
                  </th>
                )}
                <th className="w-[22%]">Name</th>
                <th className="w-[21%]">Rule</th>
                <th className="w-[14%]">
                  <Link
                    to="/schedules"
                    search={{ ...search, order: order === 'next' ? undefined : 'next' }}
                    className="inline-flex items-center gap-1 hover:text-ink"
                    title={order === 'next' ? 'Sort by age, newest first' : 'Sort by next fire'}
                  >
                    Next
                    {order === 'next' && <ArrowDown size={12} aria-label="soonest first" />}
                  </Link>
                </th>
                <th className="w-[100px]">Last</th>
                <th className="w-[142px]">Last 30 runs</th>
                <th>Target</th>
              </tr>
            </thead>
            <tbody>
              {rows.shown.map((schedule) => (
                <ScheduleRow
                  key={schedule.id}
                  schedule={schedule}
                  isPicked={isAll || picked.has(schedule.id)}
                  onPick={canWrite ? (isOn) => pick(schedule.id, isOn) : null}
                />
              ))}
            </tbody>
          </table>
        )}
        <LoadMore
          hasMore={list.hasNextPage}
          isLoading={list.isFetchingNextPage}
          onMore={() => void list.fetchNextPage()}
        />
      </div>
      {action === 'replay' && (
        <ReplayDialog
          title={isAll ? 'Replay failed runs of all that match' : 'Replay failed runs of the selection'}
          which={isAll ? { filter } : { schedules: pickedRows.map(keyOf) }}
          onClose={() => setAction(null)}
        />
      )}
      {action && action !== 'replay' && (
        <BulkDialog
          action={action}
          selection={selection}
          onClose={() => setAction(null)}
          onDone={() => {
            setAction(null);
            clear();
          }}
        />
      )}
    </>
  );
}

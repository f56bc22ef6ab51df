import { RunTable } from '../runs/run-table.js';
import { useRuns } from '../runs/use-runs.js';
import { Empty, LoadMore, Problem, SkeletonRows } from '../ui/parts.js';

export function RunsTab({ id, zone }: { id: string; zone: string }) {
  const runs = useRuns({ schedule: id }, ['schedule', id, 'runs']);
  if (runs.isPending) return <SkeletonRows />;
  if (runs.error) return <Problem error={runs.error} retry={() => void runs.refetch()} />;
  const rows = runs.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0) return <Empty title="It has not run yet" />;
  return (
    <>
      <RunTable runs={rows} hasSchedule={false} zone={zone} />
      <LoadMore
        hasMore={runs.hasNextPage}
        isLoading={runs.isFetchingNextPage}
        onMore={() => void runs.fetchNextPage()}
      />
    </>
  );
}

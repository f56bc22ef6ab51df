import { useInfiniteQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import { AlertTable } from '../alerts/alert-table.js';
import { ChannelsCard } from '../alerts/channels-card.js';
import { MaintenanceCard } from '../alerts/maintenance-card.js';
import { carillon } from '../api/carillon.js';
import { Card, LoadMore, PageTitle, QueryState } from '../ui/parts.js';

const ALERTS_PER_PAGE = 20;

/** Breaches of objectives, and the channels to which they are sent. */
export function AlertsPage() {
  return (
    <>
      <PageTitle
        title="Alerts"
        lead="Breaches of the objectives that schedules have, and the channels to which they are sent."
      />
      <div className="flex flex-col gap-4">
        <AlertList state="open" title="Open" />
        <ChannelsCard />
        <MaintenanceCard />
        <AlertList state="resolved" title="Resolved" />
      </div>
    </>
  );
}

function AlertList({ state, title }: { state: 'open' | 'resolved'; title: string }) {
  const alerts = useInfiniteQuery({
    queryKey: ['alerts', state],
    queryFn: ({ pageParam, signal }) =>
      carillon.alerts.list({ state, limit: ALERTS_PER_PAGE, cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: 15_000,
  });
  const items = alerts.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Card title={title} isFlush>
      <QueryState query={alerts} rows={2} />
      {alerts.isSuccess && items.length === 0 && (
        <p className="flex items-center gap-2 px-4 py-4 text-sm text-soft">
          {state === 'open' && <Check size={16} className="text-ok" aria-hidden="true" />}
          {state === 'open' ? 'Every objective is met.' : 'No breach has been resolved yet.'}
        </p>
      )}
      {items.length > 0 && <AlertTable alerts={items} />}
      <LoadMore
        hasMore={alerts.hasNextPage}
        isLoading={alerts.isFetchingNextPage}
        onMore={() => void alerts.fetchNextPage()}
      />
    </Card>
  );
}

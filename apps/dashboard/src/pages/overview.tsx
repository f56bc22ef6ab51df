import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { AttentionCard } from '../overview/attention-card.js';
import { FiresCard } from '../overview/fires-card.js';
import { FirstSchedule } from '../overview/first-schedule.js';
import { NextCard } from '../overview/next-card.js';
import { SystemCard } from '../overview/system-card.js';
import { PageTitle } from '../ui/parts.js';

/** The page that people keep open: past fires, coming fires, and the problems that need a person. */
export function Overview() {
  const first = useQuery({
    queryKey: ['schedules', 'first'],
    queryFn: ({ signal }) => carillon.schedules.list({ limit: 1 }, { signal }).page(),
  });
  // The guide to the first schedule stays on the page while that schedule fires, although the project is no longer
  // empty by then.
  const [wasEmpty, setWasEmpty] = useState(false);
  if (first.data?.items.length === 0 && !wasEmpty) setWasEmpty(true);
  return (
    <>
      <PageTitle title="Overview" />
      <div className="flex flex-col gap-4">
        {wasEmpty && <FirstSchedule />}
        <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
          {/* On a screen with one column, the problems come before the state of the engine. */}
          <div className="contents min-w-0 flex-col gap-4 xl:flex">
            <FiresCard />
            <div className="order-last min-w-0">
              <SystemCard />
            </div>
          </div>
          <div className="contents min-w-0 flex-col gap-4 xl:flex">
            <AttentionCard />
            <NextCard />
          </div>
        </div>
      </div>
    </>
  );
}

import type { RunFilter } from '@carillon/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { carillon } from '../api/carillon.js';

const RUNS_PER_PAGE = 50;

export const useRuns = (filter: RunFilter, queryKey: readonly unknown[] = ['runs', 'list', filter]) =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      carillon.runs.list({ ...filter, limit: RUNS_PER_PAGE, cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: (before) => before,
  });

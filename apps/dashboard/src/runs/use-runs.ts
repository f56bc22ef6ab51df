import type { RunFilter } from '@carillon/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { carillon } from '../api/carillon.js';

const PAGE = 50;

export const useRuns = (filter: RunFilter, queryKey: readonly unknown[] = ['runs', 'list', filter]) =>
  useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      carillon.runs.list({ ...filter, limit: PAGE, cursor: pageParam }, { signal }).page(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    placeholderData: (before) => before,
  });

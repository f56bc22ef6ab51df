import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut } from './carillon.js';

/**
 * Answers count as fresh for two seconds. An event refreshes the data that it is about. All other data is read again
 * when a page shows it.
 */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended, so read `/v1/me` again: the sign-in page then appears.
    onError: (error, query) => {
      if (isSignedOut(error) && query.queryKey[0] !== 'me')
        void queries.invalidateQueries({ queryKey: ['me'] });
    },
  }),
  defaultOptions: {
    // Structural sharing is off, because integers beyond 2^53 are objects here, and it would copy them as empty
    // objects.
    queries: { staleTime: 2_000, retry: false, refetchOnWindowFocus: true, structuralSharing: false },
    mutations: { retry: false },
  },
});

import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut } from './carillon.js';

/**
 * Answers of the API count as fresh for two seconds. An event of the stream refreshes the data that it is about. All
 * other data is read again when a page shows it.
 */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended, so read `/v1/me` again. That fails too, and the sign-in page appears.
    onError: (error, query) => {
      if (isSignedOut(error) && query.queryKey[0] !== 'me')
        void queries.invalidateQueries({ queryKey: ['me'] });
    },
  }),
  defaultOptions: {
    // `parseExactly` represents integers beyond 2^53 by objects, and structural sharing would copy these as empty
    // objects.
    queries: { staleTime: 2_000, retry: false, refetchOnWindowFocus: true, structuralSharing: false },
    mutations: { retry: false },
  },
});

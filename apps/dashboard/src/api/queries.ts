import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut } from './carillon.js';

/**
 * Answers count as fresh for two seconds. Events refresh the data that they concern. Other data is read again when a
 * page shows it.
 */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended. Reading `/v1/me` again makes the sign-in page appear.
    onError: (error, query) => {
      if (isSignedOut(error) && query.queryKey[0] !== 'me')
        void queries.invalidateQueries({ queryKey: ['me'] });
    },
  }),
  defaultOptions: {
    // Integers beyond 2^53 are objects here. Structural sharing would copy them as empty objects, so it is off.
    queries: { staleTime: 2_000, retry: false, refetchOnWindowFocus: true, structuralSharing: false },
    mutations: { retry: false },
  },
});

import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut } from './carillon.js';

/** Answers are fresh for two seconds. Events refresh what they concern; the rest is asked for again when it is looked at. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    // The session has ended. Reading `/v1/me` again makes the sign-in page appear.
    onError: (error, query) => {
      if (isSignedOut(error) && query.queryKey[0] !== 'me')
        void queries.invalidateQueries({ queryKey: ['me'] });
    },
  }),
  defaultOptions: {
    // Sharing structure with the answer before would copy integers beyond 2^53, which are objects, as empty ones.
    queries: { staleTime: 2_000, retry: false, refetchOnWindowFocus: true, structuralSharing: false },
    mutations: { retry: false },
  },
});

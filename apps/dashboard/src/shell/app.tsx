import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { carillon, isSignedOut } from '../api/carillon.js';
import { followEvents } from '../api/follow-events.js';
import { live } from '../api/live.js';
import { queries } from '../api/queries.js';
import { MeProvider } from '../api/session.js';
import { useHasSession } from '../api/session-mark.js';
import { Problem } from '../ui/parts.js';
import { Toasts } from '../ui/toasts.js';
import { Shell } from './shell.js';
import { SignIn } from './sign-in.js';

/** Shows the sign-in page if there is no session, otherwise the shell with the page inside. */
export function App(): ReactNode {
  const hasSession = useHasSession();
  const me = useQuery({
    queryKey: ['me'],
    queryFn: ({ signal }) => carillon.me({ signal }),
    enabled: hasSession,
    staleTime: 60_000,
  });
  const isSignedIn = me.isSuccess && hasSession;

  useEffect(() => {
    if (!isSignedIn) return;
    live.start();
    const unfollow = followEvents(queries);
    return () => {
      unfollow();
      live.stop();
    };
  }, [isSignedIn]);

  if (!hasSession || isSignedOut(me.error)) return <SignIn />;
  if (me.isPending) return <div aria-busy="true" />;
  if (!me.data) {
    return (
      <main className="mx-auto max-w-lg p-8">
        <h1 className="mb-3">Carillon</h1>
        <Problem error={me.error} retry={() => void me.refetch()} />
      </main>
    );
  }
  return (
    <MeProvider value={me.data}>
      <Shell />
      <Toasts />
    </MeProvider>
  );
}

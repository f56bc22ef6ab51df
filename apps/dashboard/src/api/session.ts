import type { Me, Scope } from '@carillon/client';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { carillon } from './carillon.js';
import { setServerTime } from './clock.js';

const MeContext = createContext<Me | null>(null);
export const MeProvider = MeContext.Provider;

export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe is for pages behind the sign-in');
  return me;
}

/** True if the key of this session has the scope. Buttons that need a missing scope are not shown. */
export const useCan = (scope: Scope): boolean => {
  const { scopes } = useMe();
  return scopes.includes(scope) || scopes.includes('admin');
};

const SYSTEM_EVERY_MS = 5_000;

/**
 * The health of the engine, and its drift: the overdue or missing work that it found and repaired. Each answer also
 * sets the clock of the page to the clock of Postgres.
 */
export const useSystem = () =>
  useQuery({
    queryKey: ['system'],
    queryFn: async ({ signal }) => {
      const system = await carillon.system({ signal });
      setServerTime(system.now);
      return system;
    },
    refetchInterval: SYSTEM_EVERY_MS,
  });

/** The workers of the last day, newest first. */
export const useWorkers = () =>
  useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => carillon.workers({ limit: 100 }, { signal }).page(),
    refetchInterval: SYSTEM_EVERY_MS,
  });

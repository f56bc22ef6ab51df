import { Link } from '@tanstack/react-router';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLiveState } from '../api/live.js';
import { useCan, useSystem } from '../api/session.js';

/** Warnings that an operator must not miss, on every page. */
export function Banners() {
  const system = useSystem();
  const state = useLiveState();
  const canWrite = useCan('write');
  const reasons = system.data?.reasons ?? [];
  return (
    <div>
      {reasons.map(({ code, message }) => (
        <Banner key={code} isGrave={code !== 'overdue' && code !== 'clock_offset'}>
          {code === 'no_workers' && 'No worker is alive, so nothing fires. '}
          {message}{' '}
          <Link to="/system" className="underline underline-offset-2">
            Workers and system
          </Link>
        </Banner>
      ))}
      {system.isError && <Banner isGrave>The API does not answer. What you see may be out of date.</Banner>}
      {!system.isError && state === 'lost' && (
        <Banner>
          The event stream is lost. The page tries again by itself; what you see may be out of date.
        </Banner>
      )}
      {!canWrite && (
        <Banner>
          This key is read only: it lacks the scope write, so there are no buttons that change anything.
        </Banner>
      )}
    </div>
  );
}

function Banner({ children, isGrave = false }: { children: ReactNode; isGrave?: boolean }) {
  const Icon = isGrave ? CircleAlert : TriangleAlert;
  return (
    <div
      role={isGrave ? 'alert' : 'status'}
      className={`flex items-center gap-2 px-3 py-2 text-sm md:px-5 ${isGrave ? 'bg-fail-weak font-medium text-fail' : 'bg-wait-weak text-wait'}`}
    >
      <Icon size={16} className="shrink-0" aria-hidden="true" />
      <span>{children}</span>
    </div>
  );
}

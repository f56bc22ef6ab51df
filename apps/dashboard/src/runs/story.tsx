import type { LedgerStep } from '@carillon/client';
import { Instant } from '../ui/times.js';

/** The steps of an occurrence, in order, each with its time. */
export function Story({ steps, zone }: { steps: readonly LedgerStep[]; zone: string | undefined }) {
  return (
    <ol className="flex flex-col gap-1 text-sm">
      {steps.map(({ at, until, kind, text, attempt, reasonCode }) => (
        <li key={`${at} ${kind} ${attempt ?? ''} ${reasonCode ?? ''}`} className="flex gap-x-3">
          <span className="whitespace-nowrap text-soft">
            <Instant at={at} zone={zone} />
            {until !== null && until !== at && (
              <>
                {' – '}
                <Instant at={until} zone={zone} />
              </>
            )}
          </span>
          <span className="min-w-0 break-words">{text}</span>
        </li>
      ))}
    </ol>
  );
}

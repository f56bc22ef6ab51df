import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Send } from 'lucide-react';
import { carillon, explainError } from '../api/carillon.js';
import { serverNow } from '../api/clock.js';
import { runWords } from '../runs/run-table.js';
import { OutcomeWord } from '../ui/outcome.js';
import { type Draft, requestOf } from './draft.js';

const TEST_DELIVERY_TIMEOUT_MS = 30_000;

/** Sends a test delivery to the target of the draft, by creating a separate one-shot schedule with one attempt. */
export function TestDelivery({ draft, isReady }: { draft: Draft; isReady: boolean }) {
  const send = useMutation({
    mutationFn: async () => {
      const { target, payload, name } = requestOf(draft);
      const made = await carillon.schedules.create({
        name: `Test of ${name ?? 'a new schedule'}`,
        tags: ['test'],
        rule: { at: new Date(serverNow()).toISOString() },
        retry: { maxAttempts: 1 },
        target,
        payload,
      });
      const signal = AbortSignal.timeout(TEST_DELIVERY_TIMEOUT_MS);
      for (;;) {
        const { items } = await carillon.runs.list({ schedule: made.id, limit: 1 }, { signal }).page();
        const [run] = items;
        if (run) return carillon.runs.ended(run.id, { signal });
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
  });
  return (
    <span className="flex flex-wrap items-center justify-end gap-2 text-sm" aria-live="polite">
      {send.data && (
        <>
          <OutcomeWord outcome={send.data.status} />
          <Link to="/runs/$id" params={{ id: send.data.id }} className="link">
            {runWords(send.data)}
          </Link>
        </>
      )}
      {send.error && <span className="text-fail">{explainError(send.error)}</span>}
      <button
        type="button"
        className="btn"
        disabled={!isReady || send.isPending}
        onClick={() => send.mutate()}
      >
        <Send size={14} aria-hidden="true" />
        {send.isPending ? 'Sending…' : 'Send a test delivery'}
      </button>
    </span>
  );
}

import type { KeyOwner } from '@carillon/db';
import { HttpProblem } from '../http/problem.js';

export interface StreamLimits {
  perProject: number;
  perKey: number;
  /** Maximum number of streams on this replica, over all projects. */
  total: number;
}

/** Counts open event streams, and refuses new ones beyond the limits. */
export class StreamLimiter {
  readonly #open = new Map<string, number>();

  constructor(private readonly limits: StreamLimits) {}

  /** Counts a new stream. Returns the function that releases it. Throws 429 beyond a limit. */
  acquire({ keyId, projectId }: KeyOwner): () => void {
    const { perProject, perKey, total } = this.limits;
    const holders: [string, number, string][] = [
      [`key ${keyId}`, perKey, 'by this key'],
      [`project ${projectId}`, perProject, 'in this project'],
      ['all', total, 'on this server'],
    ];
    for (const [holder, limit, where] of holders) {
      if ((this.#open.get(holder) ?? 0) < limit) continue;
      const detail = `${limit} event streams are already open ${where}, which is the limit; close one first`;
      throw new HttpProblem('too_many_streams', detail, { headers: { 'retry-after': '5' } });
    }
    for (const [holder] of holders) this.#open.set(holder, (this.#open.get(holder) ?? 0) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const [holder] of holders) {
        const left = (this.#open.get(holder) ?? 1) - 1;
        if (left > 0) this.#open.set(holder, left);
        else this.#open.delete(holder);
      }
    };
  }
}

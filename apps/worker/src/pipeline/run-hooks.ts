import type { ClaimedRun } from '@carillon/db';
import type { EndedDelivery } from './finalize.js';

/** Functions by which a feature that is built on schedules follows its own runs. A hook must not throw. */
export interface RunHooks {
  /** Called before each delivery. It may fill in the payload. */
  beforeDelivery(run: ClaimedRun): void;
  /** Called after an attempt was closed in Postgres. */
  afterClose(done: EndedDelivery): void;
  /** Called if a claim found that the occurrence already has a run. */
  onLostClaim(scheduleKey: string): void;
}

/** The hooks of one feature. They apply to the schedules whose ids begin with its prefix. */
export interface PrefixedHooks extends Partial<RunHooks> {
  prefix: string;
}

/** Selects the hooks by the prefix of the schedule's id. A run without hooks costs no more than this comparison. */
export function joinHooks(features: readonly PrefixedHooks[]): RunHooks {
  const find = (key: string) => features.find(({ prefix }) => key.startsWith(prefix));
  return {
    beforeDelivery: (run) => find(run.scheduleKey)?.beforeDelivery?.(run),
    afterClose: (done) => find(done.flight.run.scheduleKey)?.afterClose?.(done),
    onLostClaim: (scheduleKey) => find(scheduleKey)?.onLostClaim?.(scheduleKey),
  };
}

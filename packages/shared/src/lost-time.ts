/** Why an installation is held: its workers claim nothing until an operator decides (`carillon restore`). */
export const HOLD_CODES = ['transactions_lost', 'database_copied', 'held_by_operator'] as const;
export type HoldCode = (typeof HOLD_CODES)[number];

/**
 * The decisions that an operator can make about the occurrences of the lost time (the time whose transactions were
 * lost): `account` records them as skipped, `refire` runs them, `by-policy` follows the misfire policies.
 */
export const RESTORE_MODES = ['account', 'refire', 'by-policy'] as const;
export type RestoreMode = (typeof RESTORE_MODES)[number];

/** The facts about a hold (workers claim nothing until an operator decides). Instants are by Postgres's clock. */
export interface HoldDetail {
  reason: string;
  /** The last sign of life of a worker that is still recorded in Postgres. The lost time begins there. */
  lostFromAt: number;
  /**
   * The highest generation that was known to the process that asked for the hold. The generation of an installation is
   * a number that grows with each decision by `carillon restore`.
   */
  seenGeneration: number;
}

export interface Hold extends HoldDetail {
  code: HoldCode;
  heldAt: number;
}

/** One line for logs and health: what happened, and what to do. */
export const HOLD_ADVICE: Record<HoldCode, string> = {
  transactions_lost:
    'Postgres has lost transactions (a restore, or a failover to a standby that was behind): workers claim nothing. Run `carillon restore --dry-run`, then choose --account, --refire or --by-policy.',
  database_copied:
    'This database looks like a copy of another installation: workers claim nothing. If it should fire, run `carillon restore --adopt`.',
  held_by_operator:
    'An operator has held the workers with `carillon restore --hold`: they claim nothing. Run `carillon restore` with --account, --refire or --by-policy.',
};

/**
 * An operator's decision about the lost time. Every occurrence that was due until `untilAt` is recorded as skipped with
 * this reason (`account`), or is run (`refire`). The decision `by-policy` needs no record, because claims follow the
 * misfire policies anyway.
 */
export interface LostTime {
  mode: Exclude<RestoreMode, 'by-policy'>;
  untilAt: number;
  reason: string;
}

import type { Hold, HoldCode, HoldDetail, Home, LostTime } from '@carillon/shared';
import type { Database } from '../database.js';
import { statement } from '../statement.js';

/**
 * The state of the installation: whether workers may claim, and what an operator has decided, after the latest restore,
 * about the occurrences of the lost time. It is stored in the only row of the table `installation`.
 */
export interface InstallationState {
  id: string;
  /** Grows each time an operator decides how to go on after a restore or failover. Part of the fencing token. */
  generation: number;
  /** Why no worker may claim until an operator decides; null while workers may claim. */
  hold: Hold | null;
  /** The Postgres server that the workers last used; null if no worker has recorded one yet. */
  home: Home | null;
  /**
   * After the latest restore: the operator's decision about the occurrences that were due in the lost time (whose
   * transactions Postgres has lost). Null if the misfire policy of each schedule decides.
   */
  lostTime: LostTime | null;
}

/** SQL: the columns of `InstallationRow`. */
export const INSTALLATION_STATE = `id, generation, held_at as "heldAt", held_code as "heldCode", held_detail as "heldDetail",
          home, lost_time as "lostTime"`;

export interface InstallationRow extends Omit<InstallationState, 'hold'> {
  heldAt: number | null;
  heldCode: HoldCode | null;
  heldDetail: HoldDetail | null;
}

export function toInstallationState(row: InstallationRow): InstallationState {
  const { id, generation, heldAt, heldCode, heldDetail, home, lostTime } = row;
  const isHeld = heldAt !== null && heldCode !== null && heldDetail !== null;
  const hold = isHeld ? { ...heldDetail, code: heldCode, heldAt } : null;
  return { id, generation, hold, home, lostTime };
}

const select = statement<object, InstallationRow>(
  'read-installation-state',
  `select ${INSTALLATION_STATE} from carillon.installation`,
);

export async function readInstallationState(db: Database): Promise<InstallationState> {
  const [row] = await select(db, {});
  if (!row) throw new Error('the table "installation" is empty; run the migrations');
  return toInstallationState(row);
}

import type { Hold, HoldCode, HoldDetail, Home, LostTime } from '@carillon/shared';
import type { Database } from '../database.js';
import { statement } from '../statement.js';

/** The single row about the installation, as far as holds and restores are concerned. */
export interface InstallationState {
  id: string;
  generation: number;
  /** Null while workers may claim. */
  hold: Hold | null;
  /** The server on which the workers last ran; null before the first of them. */
  home: Home | null;
  /** The decision about the latest lost time; null if each schedule's misfire policy decides. */
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

import { instant } from '../instants.js';

/**
 * The `set` lists of the transitions of a schedule, the same for one row and for many. The parameter `:now` is the time
 * of the change.
 */

const CHANGED = `version = version + 1, updated_at = ${instant(':now')}`;
const NOT_PAUSED = 'paused_at = null, paused_until = null, paused_by = null, pause_note = null';

/**
 * A schedule that is paused again keeps the time of its first pause. Further parameters: `:untilAt`, `:actor`, `:note`.
 */
export const TO_PAUSED = `status = 'paused', ${CHANGED}, paused_at = coalesce(paused_at, ${instant(':now')}),
  paused_until = ${instant(':untilAt')}, paused_by = :actor, pause_note = :note`;

export const TO_ACTIVE = `status = 'active', ${CHANGED}, ${NOT_PAUSED}`;

export const TO_CANCELLED = `status = 'cancelled', ${CHANGED}, ${NOT_PAUSED}`;

import type { Timing } from './timing.js';

export function timingWarnings(_timing: Timing, _askedZone: string | null): string[] {
  return [];
}

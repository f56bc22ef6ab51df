import type { BaseSequencer } from 'vitest/node';

export declare const SpreadLong: typeof BaseSequencer;

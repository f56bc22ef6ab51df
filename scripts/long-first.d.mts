import type { BaseSequencer } from 'vitest/node';

export declare const LongFirst: typeof BaseSequencer;

import type { LedgerStep, StoryStep } from '@carillon/shared';
import type { z } from 'zod';
import { iso } from './iso.js';

export const presentStory = (story: readonly StoryStep[]): z.infer<typeof LedgerStep>[] =>
  story.map(({ at, until, ...rest }) => ({ at: iso(at), until: iso(until), ...rest }));

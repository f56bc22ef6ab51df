import type { Race } from '../harness/race.js';
import { api } from './api.js';
import { atOnce } from './at-once.js';
import { badNeighbour } from './bad-neighbour.js';
import { batches } from './batches.js';
import { cadence } from './cadence.js';
import { claims } from './claims.js';
import { forecast } from './forecast.js';
import { herd } from './herd.js';
import { operations } from './operations.js';
import { overlap } from './overlap.js';
import { pages } from './pages.js';
import { recover } from './recover.js';
import { recurringHerd } from './recurring-herd.js';
import { retention } from './retention.js';
import { scale } from './scale.js';
import { steady } from './steady.js';
import { webhooks } from './webhooks.js';

export const RACES: readonly Race[] = [
  herd,
  steady,
  cadence,
  atOnce,
  recurringHerd,
  overlap,
  claims,
  batches,
  webhooks,
  badNeighbour,
  api,
  scale,
  pages,
  operations,
  forecast,
  retention,
  recover,
];

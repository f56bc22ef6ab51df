import { SecretBox } from '@carillon/db';
import type { PostgresClock } from '@carillon/queue';
import { DAY_MS } from '@carillon/shared';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Metrics } from '../metrics.js';
import { deliverByCall } from './call.js';
import { type Deliver, deliverBy } from './deliver.js';
import { deliverToHandler } from './handler.js';
import { Poster } from './post.js';
import { ProjectSettings } from './project-settings.js';
import { DueQueues } from './queue.js';
import { Receipts } from './receipts.js';
import { Secrets } from './secrets.js';
import { Traffic } from './traffic.js';
import { deliverToWebhook } from './webhook.js';

export interface TargetParts {
  pool: Pool;
  redis: Redis;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
}

export interface Targets {
  deliver: Deliver;
  receipts: Receipts;
  traffic: Traffic;
  close(): Promise<void>;
}

/** Everything that a run can be delivered to. */
export function openTargets(config: Config, { pool, redis, clock, metrics, log }: TargetParts): Targets {
  const box =
    config.CARILLON_ENCRYPTION_KEY === undefined ? null : new SecretBox(config.CARILLON_ENCRYPTION_KEY);
  const settings = new ProjectSettings(pool, box);
  const secrets = new Secrets(pool, box, settings);
  const originConcurrency = config.ORIGIN_CONCURRENCY;
  const traffic = new Traffic({
    settings,
    originConcurrency,
    circuitOpenMs: config.CIRCUIT_OPEN_MS,
    metrics,
    log,
    giveUpAfterMs: DAY_MS,
  });
  const poster = new Poster({
    allowPrivate: config.ALLOW_PRIVATE_TARGETS,
    connectionsPerOrigin: originConcurrency,
  });
  // Where calls go is the operator's choice, not a tenant's.
  const callPoster = new Poster({ allowPrivate: true, connectionsPerOrigin: originConcurrency });
  const queues = new DueQueues({ redis, prefix: config.REDIS_PREFIX, clock });
  const receipts = new Receipts({ pool, poster, traffic, secrets, clock, metrics, log });
  const deliver = deliverBy({
    handler: deliverToHandler({ pool, log }),
    webhook: deliverToWebhook({ poster, traffic, secrets, clock }),
    queue: queues.deliver,
    call: deliverByCall({
      poster: callPoster,
      traffic,
      clock,
      settings: {
        baseUrl: config.VAPI_BASE_URL,
        apiKey: config.VAPI_API_KEY ?? null,
        assistantId: config.VAPI_ASSISTANT_ID ?? null,
        phoneNumberId: config.VAPI_PHONE_NUMBER_ID ?? null,
      },
    }),
  });
  return {
    deliver,
    receipts,
    traffic,
    async close() {
      await receipts.stop();
      await Promise.allSettled([poster.close(), callPoster.close(), queues.close()]);
    },
  };
}

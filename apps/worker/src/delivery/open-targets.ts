import { type Holder, type PostgresWatch, SecretBox } from '@carillon/db';
import type { PostgresClock, RedisClient } from '@carillon/queue';
import { GIVE_UP_AFTER_MS } from '@carillon/shared';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { sendByType } from '../alerts/channels.js';
import { createEmailSender } from '../alerts/email.js';
import { MessageSender } from '../alerts/message-sender.js';
import { pingMonitor } from '../alerts/monitor.js';
import type { Config } from '../config.js';
import type { Metrics } from '../metrics.js';
import { type Deliver, deliverBy } from '../pipeline/pipeline.js';
import type { Registry } from '../registry.js';
import { HandlerProcess } from './isolation/handler-process.js';
import { NameResolver } from './names/name-resolver.js';
import { Receipts } from './receipts/receipts.js';
import { deliverByCall } from './targets/call.js';
import { deliverToHandler } from './targets/handler.js';
import { awaitPing } from './targets/heartbeat.js';
import { Poster } from './targets/post.js';
import { DueQueues, refuseQueue } from './targets/queue.js';
import { DeliverySecrets } from './targets/secrets.js';
import { deliverToWebhook } from './targets/webhook.js';
import { ProjectSettings } from './traffic/project-settings.js';
import { Traffic } from './traffic/traffic.js';

export interface TargetParts {
  registry: Registry;
  pool: Pool;
  holder: Holder;
  /** Null if this installation runs without Redis. */
  redis: RedisClient | null;
  clock: PostgresClock;
  metrics: Metrics;
  log: Logger;
  postgres: PostgresWatch;
}

export interface Targets {
  deliver: Deliver;
  receipts: Receipts;
  traffic: Traffic;
  messages: MessageSender;
  /** Tells the outside monitor, if there is one, that the engine is alive. Called after each sweep. */
  pingMonitor: () => Promise<void>;
  close(): Promise<void>;
}

/** Opens everything that deliveries need: connections, queues, handlers and limits. */
export function openTargets(
  config: Config,
  { registry, pool, holder, redis, clock, metrics, log, postgres }: TargetParts,
): Targets {
  const box =
    config.CARILLON_ENCRYPTION_KEY === undefined ? null : new SecretBox(config.CARILLON_ENCRYPTION_KEY);
  const settings = new ProjectSettings(pool, box);
  const secrets = new DeliverySecrets(pool, box, settings);
  const originConcurrency = config.ORIGIN_CONCURRENCY;
  const traffic = new Traffic({
    settings,
    originConcurrency,
    circuitOpenMs: config.CIRCUIT_OPEN_MS,
    metrics,
    log,
    giveUpAfterMs: GIVE_UP_AFTER_MS,
  });
  const names = new NameResolver({ servers: config.DNS_SERVERS });
  const poster = new Poster({
    names,
    allowPrivate: config.ALLOW_PRIVATE_TARGETS,
    connectionsPerOrigin: originConcurrency,
  });
  // The operator chooses the server that makes phone calls, so its address may be private.
  const operatorPoster = new Poster({ names, allowPrivate: true, connectionsPerOrigin: originConcurrency });
  const queues = redis && new DueQueues({ redis, prefix: config.REDIS_PREFIX, clock });
  const receipts = new Receipts({ pool, poster, traffic, secrets, clock, metrics, log, postgres });
  const processes = openHandlerProcesses(config, registry, log);
  const sendEmail = createEmailSender({ smtpUrl: config.SMTP_URL ?? null, from: config.SMTP_FROM });
  const messages = new MessageSender({
    pool,
    metrics,
    log,
    postgres,
    send: sendByType({ poster, settings, box, clock, sendEmail, publicUrl: config.PUBLIC_URL }),
  });
  const targets = {
    heartbeat: awaitPing({ pool, clock }),
    handler: deliverToHandler({ registry, pool, holder, clock, log, processes }),
    webhook: deliverToWebhook({ poster, traffic, secrets, clock }),
    queue: queues?.deliver ?? refuseQueue,
    call: deliverByCall({
      poster: operatorPoster,
      traffic,
      clock,
      settings: {
        baseUrl: config.VAPI_BASE_URL,
        apiKey: config.VAPI_API_KEY ?? null,
        assistantId: config.VAPI_ASSISTANT_ID ?? null,
        phoneNumberId: config.VAPI_PHONE_NUMBER_ID ?? null,
      },
    }),
  };
  const deliver = deliverBy(targets, settings);
  return {
    deliver,
    receipts,
    traffic,
    messages,
    pingMonitor: pingMonitor({
      pool,
      // The operator chooses the monitor's address, so it may be private.
      poster: operatorPoster,
      log,
      url: config.HEARTBEAT_URL ?? null,
      intervalMs: config.HEARTBEAT_INTERVAL_SECONDS * 1_000,
      sweepIntervalMs: config.SWEEP_INTERVAL_MS,
    }),
    async close() {
      for (const process of processes.values()) process.stop();
      await Promise.all([receipts.stop(), messages.stop()]);
      names.close();
      await Promise.allSettled([poster.close(), operatorPoster.close(), queues?.close()]);
    },
  };
}

/**
 * Opens a process for each isolated handler. The process imports the handlers itself, so CARILLON_HANDLERS must be set.
 */
function openHandlerProcesses(config: Config, registry: Registry, log: Logger): Map<string, HandlerProcess> {
  const names = registry.handlers.filter(({ isolate }) => isolate).map(({ name }) => name);
  if (names.length > 0 && !config.CARILLON_HANDLERS)
    throw new Error(
      `the handler ${names[0]} has isolate: true: set CARILLON_HANDLERS to the module that defines it`,
    );
  return new Map(names.map((name) => [name, new HandlerProcess(name, log)]));
}

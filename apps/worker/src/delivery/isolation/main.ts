import { LOG_SERIALIZERS } from '@carillon/telemetry';
import { pino } from 'pino';
import { readConfig } from '../../config.js';
import { loadHandlers } from '../../load-handlers.js';
import { PayloadRefused, parsePayload } from '../../payload-schema.js';
import { Registry } from '../../registry.js';
import { storedResult } from '../targets/handler-result.js';
import type { FromHandlerProcess, ToHandlerProcess } from './messages.js';

/*
 * The process of one isolated handler: `node main.js <handler>`, started by a worker. It loads the same handlers as the
 * worker, executes the runs that the worker sends, and ends with the worker.
 */

const [name = ''] = process.argv.slice(2);
const config = readConfig(process.env);
if ('problems' in config) throw new Error(config.problems.join('; '));
const log = pino({
  level: config.LOG_LEVEL,
  base: { app: 'worker', pid: process.pid, handler: name },
  serializers: LOG_SERIALIZERS,
});
const running = new Map<number, AbortController>();
const send = (message: FromHandlerProcess) => process.send?.(message);

// Ctrl-C in a terminal signals this process too. The signal is ignored, because the worker decides when its runs end.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
process.on('disconnect', () => process.exit());

const loading = loadHandlers(config.CARILLON_HANDLERS).then((defined) => new Registry(defined).find(name));

process.on('message', async (message: ToHandlerProcess) => {
  const { id } = message;
  if (message.kind === 'abort') return running.get(id)?.abort(message.reason);
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const handler = await loading;
    if (!handler) throw new Error(`CARILLON_HANDLERS defines no handler named ${name}`);
    const value = await handler.run({
      ...message.run,
      payload: await parsePayload(handler, message.run.payload),
      signal: controller.signal,
      log: log.child(message.logFields),
      progress: (value) => send({ kind: 'progress', id, value }),
    });
    send({ kind: 'ended', id, error: null, result: storedResult(value) });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    send({ kind: 'ended', id, error: text, isPayloadRefused: error instanceof PayloadRefused, result: null });
  } finally {
    running.delete(id);
  }
});

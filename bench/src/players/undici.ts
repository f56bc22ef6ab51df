import { randomUUID } from 'node:crypto';
import { Pool } from 'undici';
import type { Job } from '../harness/tally.js';
import { CONNECTIONS_EACH, exampleBody } from '../races/webhook-example.js';
import { endOnSignal, readOrders } from './environment.js';

// The program that the webhook deliveries of Carillon are compared with: plain HTTP requests with the same body, the
// same headers and as many connections, but without any bookkeeping.
const { tally, jobs, index, processes } = readOrders();
const url = new URL(process.env.RECEIVER_URL ?? '');
const pool = new Pool(url.origin, { connections: CONNECTIONS_EACH, pipelining: 1 });

async function send(job: Job): Promise<void> {
  const runId = `run_${randomUUID()}`;
  const response = await pool.request({
    path: url.pathname,
    method: 'POST',
    headers: {
      'user-agent': 'bench',
      'content-type': 'application/json',
      'webhook-id': runId,
      'webhook-timestamp': String(Math.floor(job.at / 1_000)),
      'x-idempotency-key': runId,
      'x-attempt-key': `${runId}-1-${job.n}`,
      'accept-encoding': 'identity',
    },
    body: exampleBody(job, runId),
  });
  await response.body.text();
  if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
  tally.mark(job);
}

let next = index;
async function sendOn(): Promise<void> {
  while (next < jobs) {
    const n = next;
    next += processes;
    await send({ n, at: Date.now() });
  }
}

endOnSignal();
process.on('message', (order) => {
  if (order === 'go') for (let i = 0; i < CONNECTIONS_EACH; i++) void sendOn();
});
tally.ready();

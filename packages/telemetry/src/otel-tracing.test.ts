import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { OtelTracing } from './otel-tracing.js';

interface Export {
  resourceSpans: { scopeSpans: { spans: { links: { traceId: string }[] }[] }[] }[];
}

it('a span links to the first 128 of the traces that it is given, and drops the others', async () => {
  const exports: Export[] = [];
  const collector = createServer(async (request, response) => {
    exports.push((await json(request)) as Export);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  onTestFinished(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const tracing = new OtelTracing({ endpoint: `http://127.0.0.1:${port}`, serviceName: 'test' });

  const traceIds = Array.from({ length: 130 }, (_, n) => (n + 1).toString(16).padStart(32, '0'));
  const span = tracing.start('many-links');
  span.link(traceIds.map((traceId) => `00-${traceId}-00f067aa0ba902b7-01`));
  span.end();
  // `stop` gives up waiting for the collector after a moment, so the export may arrive later on a busy machine.
  await tracing.stop();
  await expect.poll(() => exports.length, { timeout: 20_000 }).toBe(1);
  const links = exports[0]?.resourceSpans[0]?.scopeSpans[0]?.spans[0]?.links;
  expect(links?.map(({ traceId }) => traceId)).toEqual(traceIds.slice(0, 128));
});

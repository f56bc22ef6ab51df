import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookAlert } from '@carillon/client';

export interface AlertReceiver {
  url: string;
  /** The messages so far. A message that arrived several times is listed once. */
  readonly messages: readonly WebhookAlert[];
  close(): void;
}

/**
 * An HTTP server that keeps the messages of an alert channel. Carillon sends each message at least once, so repeated
 * ones are dropped.
 */
export async function receiveAlerts(): Promise<AlertReceiver> {
  const byId = new Map<string, WebhookAlert>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    byId.set(String(request.headers['webhook-id']), JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    get messages() {
      return [...byId.values()];
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endOnSignal } from './environment.js';

// Receives webhooks on loopback, counts them and answers 200. A GET returns how many webhooks have arrived and how many
// of them are distinct, and resets both counts.
const seen = new Set<string>();
let received = 0;

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    if (request.method === 'GET') {
      response.end(JSON.stringify({ received, distinct: seen.size }));
      seen.clear();
      received = 0;
      return;
    }
    seen.add(String(request.headers['webhook-id']));
    received++;
    response.end('{}');
  });
});
server.keepAliveTimeout = 60_000;
endOnSignal();
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});

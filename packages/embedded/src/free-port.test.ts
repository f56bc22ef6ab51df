import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { freePort } from './free-port.js';

const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

it('an embedded server gets a port that no outgoing connection can take while the server restarts', async () => {
  const [from = 49_152, until = 65_535] = existsSync(RANGE)
    ? readFileSync(RANGE, 'utf8').split(/\s+/).map(Number)
    : [];
  const ports = await Promise.all(Array.from({ length: 20 }, freePort));
  // `freePort` takes a port from 10,240 up to the first ephemeral port. If the ephemeral range begins at 10,240 or
  // lower, no such port exists, and `freePort` returns ephemeral ports only.
  const expected = from > 10_240 ? 0 : ports.length;
  expect(ports.filter((port) => port >= from && port <= until)).toHaveLength(expected);
});

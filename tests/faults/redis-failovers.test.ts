import { startOwnServers } from '@carillon/testkit';
import { describe, it } from 'vitest';
import { hasProgram } from '../../scripts/programs.mjs';
import {
  addReplicas,
  type ClusterNode,
  NativeRedis,
  SENTINEL_MASTER,
  type SentinelSet,
  startCluster,
  startSentinels,
} from '../redis/native-redis.js';
import { isChosen } from './config.js';
import { leaveOut, playAll, type Scenario } from './harness/play.js';
import { clusterFailover, sentinelFailover } from './scenarios/redis-failovers.js';

const PASSWORD = 'secret';
/** The key prefix of Carillon. Its hash tag (the braces) puts all keys on one node of the cluster. */
const CLUSTER_PREFIX = '{faults}';
let sentinelSet: SentinelSet;
let nodes: ClusterNode[];

/** Returns a function that starts a server, and one that stops all servers that it has started. */
function collectServers() {
  const servers: NativeRedis[] = [];
  const start: typeof NativeRedis.start = async (...how) => {
    const server = await NativeRedis.start(...how);
    servers.push(server);
    return server;
  };
  return { start, stop: () => Promise.all(servers.map((server) => server.stop())) };
}

/** Starts the Postgres for an installation whose Redis, of several servers, runs already. */
async function startBeside(
  redis: { url: string; prefix: string },
  anyPort: number,
  stop: () => Promise<unknown>,
) {
  const servers = await startOwnServers({ redisUrl: `redis://127.0.0.1:${anyPort}` });
  return {
    ...servers,
    redis,
    async stop() {
      await servers.stop();
      await stop();
    },
  };
}

function playOnNativeRedis(name: string, scenario: Scenario, start: Parameters<typeof playAll>[2]): void {
  if (hasProgram('redis-server')) {
    playAll(name, [scenario], start);
    return;
  }
  describe.runIf(isChosen(scenario.number))(name, () => {
    it(`fault ${scenario.number}, ${scenario.fault}`, async ({ skip }) => {
      const reason = 'redis-server is not installed';
      await leaveOut(scenario, reason);
      skip(reason);
    });
  });
}

playOnNativeRedis(
  'A failover by Redis Sentinel',
  sentinelFailover(() => ({ ...sentinelSet, password: PASSWORD })),
  async () => {
    const { start, stop } = collectServers();
    sentinelSet = await startSentinels({ sentinels: 3, password: PASSWORD }, start);
    const { master, sentinels } = sentinelSet;
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`);
    const url = `redis-sentinel://:${PASSWORD}@${hosts}/${SENTINEL_MASTER}`;
    return startBeside({ url, prefix: 'faults' }, master.port, stop);
  },
);

playOnNativeRedis(
  'A failover in a Redis Cluster',
  clusterFailover(() => ({ nodes, key: CLUSTER_PREFIX })),
  async () => {
    const { start, stop } = collectServers();
    const masters = await startCluster(start);
    nodes = [...masters, ...(await addReplicas(masters, masters, start))];
    const hosts = nodes.map(({ server }) => `127.0.0.1:${server.port}`);
    const port = masters[0]?.server.port ?? 0;
    return startBeside({ url: `redis-cluster://${hosts}`, prefix: CLUSTER_PREFIX }, port, stop);
  },
);

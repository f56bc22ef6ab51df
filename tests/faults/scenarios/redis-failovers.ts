import { eventually } from '@carillon/testkit';
import { seeRecovery } from '../../redis/load.js';
import {
  awaitFollowing,
  type ClusterNode,
  masterOf,
  type NativeRedis,
  type SentinelSet,
} from '../../redis/native-redis.js';
import type { Scenario } from '../harness/play.js';
import type { Stage } from '../harness/stage.js';
import { createMeanwhile, seeBell, seeFire } from '../harness/traffic.js';

const HOLDS =
  'the API goes on accepting new schedules (201), the sweep fires them meanwhile, bells (wake-ups) ring again on the new master, and each worker logs the recovery';

interface Failover {
  master: NativeRedis;
  /**
   * All Redis servers of the set-up, the master included. One of the others is the replica of the master. A failover
   * swaps the roles of these two.
   */
  servers: readonly NativeRedis[];
  login?: { password?: string };
  /** A Sentinel that is killed, and started again, together with the master. */
  neighbour?: NativeRedis;
}

/**
 * Kills the master under load, waits until its replica has become the master, and starts the killed server again, as
 * the new replica.
 */
async function failOver(stage: Stage, { master, servers, login = {}, neighbour }: Failover): Promise<void> {
  const infoOf = (server: NativeRedis) => server.connect(login).info('replication');
  const infos = await Promise.all(servers.map(infoOf));
  const replica = servers.find((_, index) => infos[index]?.includes(`master_port:${master.port}\r`));
  if (!replica) throw new Error(`no server follows the master on port ${master.port}`);
  const ended = neighbour ? [master, neighbour] : [master];
  const replace = async () => {
    await Promise.all(ended.map((server) => server.kill()));
    stage.inject(ended.length);
    const client = replica.connect(login);
    const isMaster = async () => (await client.info('replication')).includes('role:master');
    await Promise.all([seeFire(stage), eventually(isMaster, { what: 'the failover' })]);
    await Promise.all(ended.map((server) => server.run()));
    await awaitFollowing(master, login);
  };
  const { workers } = stage.installation;
  const earlierLines = workers.map(({ lines }) => lines.length);
  await stage.load({ seconds: 6 });
  await createMeanwhile(stage, replace());
  stage.heal();
  await seeBell(stage);
  // A worker may see two outages, because the Sentinel that comes back names the old master for a moment. The worker
  // must log a recovery for each outage.
  await Promise.all(
    workers.map((worker, index) => seeRecovery(() => worker.lines.slice(earlierLines[index]))),
  );
}

export const sentinelFailover = (set: () => SentinelSet & { password: string }): Scenario => ({
  number: 32,
  fault: 'the Redis master is killed together with one of its three Sentinels, and both come back later',
  holds: HOLDS,
  async play(stage) {
    const { master, replica, sentinels, password } = set();
    const isMaster = async (server: NativeRedis) =>
      (await server.connect({ password }).info('replication')).includes('role:master');
    const servers = (await isMaster(master)) ? ([master, replica] as const) : ([replica, master] as const);
    const neighbour = stage.random.pick(sentinels);
    await failOver(stage, { master: servers[0], servers, login: { password }, neighbour });
  },
});

export const clusterFailover = (cluster: () => { nodes: readonly ClusterNode[]; key: string }): Scenario => ({
  number: 33,
  fault:
    'in a Redis Cluster of three masters with a replica each, the master with all keys of Carillon is killed and comes back later',
  holds: HOLDS,
  async play(stage) {
    const { nodes, key } = cluster();
    const { server: master } = await masterOf(nodes, key);
    await failOver(stage, { master, servers: nodes.map(({ server }) => server) });
  },
});

/** A host and port of a Redis server, of a Sentinel, or of a cluster node. */
export interface RedisHost {
  host: string;
  port: number;
}

interface Login {
  username: string | undefined;
  password: string | undefined;
  isTls: boolean;
}

/** The parsed REDIS_URL: the hosts, and whether they are a single server, Sentinels or a cluster. */
export type RedisPlace = Login &
  (
    | { kind: 'single'; hosts: [RedisHost]; db: number }
    /** The hosts are Sentinels. They know which server is the master. */
    | { kind: 'sentinel'; hosts: RedisHost[]; master: string; db: number }
    /** The hosts are some nodes of the cluster. Each of them can list all nodes. */
    | { kind: 'cluster'; hosts: RedisHost[] }
  );

/** The value of REDIS_URL for an installation without Redis. */
export const NO_REDIS = 'none';

const SCHEMES = {
  redis: { kind: 'single', port: 6379 },
  'redis-sentinel': { kind: 'sentinel', port: 26_379 },
  'redis-cluster': { kind: 'cluster', port: 6379 },
} as const;

export const REDIS_URL_FORMS =
  'expected redis://host:6379, redis-sentinel://host:26379,host:26379/mymaster, redis-cluster://host:6379,host:6379 (rediss… for TLS), or none';

const PARTS = /^(rediss?)(-sentinel|-cluster)?:\/\/(?:([^@]*)@)?([^/?#]+)(?:\/([^?#]*))?$/;
const HOST = /^(\[[\da-fA-F:.]+\]|[^\s:[\]]+)(?::(\d{1,5}))?$/;

/** Parses REDIS_URL. Returns the problem as text, without the password, if it is not an address of Redis. */
export function parseRedisUrl(url: string): RedisPlace | { problem: string } {
  const [, scheme, suffix = '', login = '', hostList = '', path = ''] = PARTS.exec(url) ?? [];
  if (scheme === undefined) return { problem: REDIS_URL_FORMS };
  const { kind, port } = SCHEMES[`redis${suffix}` as keyof typeof SCHEMES];
  const hosts = hostList.split(',').map((text) => readHost(text, port));
  const [first] = hosts;
  if (!first || !hosts.every((host) => host !== null))
    return { problem: 'expected a host name or address, and a port from 1 to 65535, in each place' };
  const common = { ...readLogin(login), isTls: scheme === 'rediss' };
  const words = path.split('/').filter((word) => word !== '');
  switch (kind) {
    case 'single': {
      const db = readDb(words[0]);
      if (hosts.length > 1)
        return { problem: 'several hosts need redis-sentinel:// or redis-cluster://, not redis://' };
      if (db === null || words.length > 1)
        return { problem: 'expected nothing after the host, or the number of a database' };
      return { kind, hosts: [first], db, ...common };
    }
    case 'sentinel': {
      const [master, database] = words;
      const db = readDb(database);
      if (master === undefined || db === null || words.length > 2)
        return { problem: 'expected the name of the master after the Sentinels, such as /mymaster' };
      return { kind, hosts, master: decodeURIComponent(master), db, ...common };
    }
    case 'cluster':
      if (words.length > 0 && path !== '0') return { problem: 'a cluster has no databases but 0' };
      return { kind, hosts, ...common };
  }
}

function readHost(text: string, usualPort: number): RedisHost | null {
  const [, host, port] = HOST.exec(text.trim()) ?? [];
  const number = port === undefined ? usualPort : Number(port);
  if (host === undefined || number < 1 || number > 65_535) return null;
  return { host: host.replace(/^\[|\]$/g, ''), port: number };
}

function readLogin(text: string): Pick<Login, 'username' | 'password'> {
  const [username, ...rest] = text.split(':');
  const password = rest.join(':');
  return {
    username: username ? decodeURIComponent(username) : undefined,
    password: password ? decodeURIComponent(password) : undefined,
  };
}

function readDb(text: string | undefined): number | null {
  if (text === undefined) return 0;
  return /^\d{1,5}$/.test(text) ? Number(text) : null;
}

/** The Postgres server that the workers of an installation last used, as it is recorded in the database. */
export interface Home {
  /** The number of the Postgres cluster, which `initdb` generates; null if it may not be read. */
  systemIdentifier: string | null;
  databaseOid: number | null;
  /**
   * The timeline of the Postgres cluster. It grows with each promotion of a standby and each recovery to a point in
   * time.
   */
  timeline: number | null;
  /**
   * The addresses (host:port/database) by which workers have reached the server. Loopback is left out, because on each
   * machine it means another server.
   */
  addresses: readonly string[];
}

/** The Postgres server that this worker uses now. */
export interface CurrentHome extends Omit<Home, 'addresses'> {
  /** Null for loopback and sockets, because on another machine they mean another server. */
  address: string | null;
}

/**
 * The state of the mark, a copy in Redis of the latest worker heartbeat that Postgres has committed. `intact`: Postgres
 * still has this heartbeat. `absent`: Redis answers, but has no mark. `silent`: the mark proves nothing, because the
 * installation has no Redis, because Redis does not answer, because the mark was written before the operator's latest
 * decision with `carillon restore`, or because the mark is so old that retention has deleted the row of its worker.
 */
export type MarkState = 'intact' | 'absent' | 'silent';

export type HomeVerdict =
  | { kind: 'same' }
  /**
   * The server belongs to the installation. It differs from the recorded server, or none is recorded, so the caller
   * records `home`.
   */
  | { kind: 'moved'; home: Home }
  | { kind: 'copied'; reason: string }
  /**
   * The server may hold a copy of the database. Only the mark in Redis (the latest heartbeat of a worker) could tell,
   * and Redis gives no usable answer. The worker logs a warning and goes on.
   */
  | { kind: 'suspect'; reason: string };

const MAX_ADDRESSES = 20;

/**
 * Decides whether a database is still the one that its installation used, or a copy of it. An intact mark (see
 * `MarkState`) proves that the database is no copy. Otherwise another Postgres cluster or another database means a
 * copy. A new timeline or a new address is a weaker sign, because a failover or a move causes it too. So it means a
 * copy only if Redis answers and has no mark.
 */
export function judgeHome(recorded: Home | null, now: CurrentHome, mark: MarkState): HomeVerdict {
  const home = remember(recorded, now);
  if (recorded === null || mark === 'intact')
    return isSame(recorded, home) ? { kind: 'same' } : { kind: 'moved', home };
  if (differs(recorded.systemIdentifier, now.systemIdentifier))
    return {
      kind: 'copied',
      reason: 'the database is in another Postgres cluster than its workers last saw',
    };
  if (differs(recorded.databaseOid, now.databaseOid))
    return { kind: 'copied', reason: 'the database was created anew since its workers last saw it' };
  const sign = weakSign(recorded, now);
  if (sign !== null) return { kind: mark === 'absent' ? 'copied' : 'suspect', reason: sign };
  return isSame(recorded, home) ? { kind: 'same' } : { kind: 'moved', home };
}

function weakSign({ timeline, addresses }: Home, now: CurrentHome): string | null {
  if (differs(timeline, now.timeline))
    return `Postgres was promoted or recovered to a point in time (timeline ${timeline} became ${now.timeline}) while no worker ran`;
  if (now.address !== null && addresses.length > 0 && !addresses.includes(now.address))
    return `workers never reached this database at ${now.address} before`;
  return null;
}

/** A value that could not be read counts as unchanged. */
const differs = <T>(before: T | null, now: T | null) => before !== null && now !== null && before !== now;

function remember(recorded: Home | null, { address, ...now }: CurrentHome): Home {
  const known = recorded?.addresses ?? [];
  const addresses =
    address === null || known.includes(address) ? known : [...known, address].slice(-MAX_ADDRESSES);
  return {
    systemIdentifier: now.systemIdentifier ?? recorded?.systemIdentifier ?? null,
    databaseOid: now.databaseOid ?? recorded?.databaseOid ?? null,
    timeline: now.timeline ?? recorded?.timeline ?? null,
    addresses,
  };
}

const isSame = (a: Home | null, b: Home) =>
  a !== null &&
  a.systemIdentifier === b.systemIdentifier &&
  a.databaseOid === b.databaseOid &&
  a.timeline === b.timeline &&
  a.addresses.join() === b.addresses.join();

const LOOPBACK = /^(localhost|127\.|::1$|\[::1\]$|0\.0\.0\.0$)/;

/** The address of a database without credentials: host:port/database; null for loopback and sockets. */
export function addressOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { hostname, port, pathname } = new URL(url);
  if (hostname === '' || LOOPBACK.test(hostname)) return null;
  return `${hostname}:${port || '5432'}${pathname}`;
}

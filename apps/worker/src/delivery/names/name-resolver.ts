import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { ResourceShares } from '../../pipeline/resource-shares.js';
import { candidatesFor, readSystemNames, SYSTEM_FILES, type SystemFiles } from './system-names.js';

/** Maximum number of names that are resolved at once. A single project may use only a part of this number. */
const QUERIES_AT_ONCE = 256;
/** Time-out of one query to one name server. Each server is tried twice. */
const QUERY_TIMEOUT_MS = 1_500;
const MIN_TTL_MS = 1_000;
const MAX_TTL_MS = 300_000;
/** A name that could not be resolved is not queried again within this time. */
const FAILURE_TTL_MS = 5_000;
const MAX_CACHED_NAMES = 10_000;
const SYSTEM_FILES_TTL_MS = 30_000;
/** Error codes that mean that the name does not exist. After any other error, it may exist. */
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA']);

export type NameResolution =
  | { kind: 'resolved'; addresses: LookupAddress[] }
  | { kind: 'failed'; error: NameNotFound }
  /** Too many names are being resolved now, by this project or by all projects. */
  | { kind: 'busy' };

export class NameNotFound extends Error {
  readonly code = 'ENOTFOUND';

  constructor(
    name: string,
    readonly reason: string,
  ) {
    super(`the name ${name} could not be resolved: ${reason}`);
  }
}

interface Entry {
  resolution: Promise<Exclude<NameResolution, { kind: 'busy' }>>;
  /** An instant of the process's monotonic clock; Infinity while the query is under way. */
  expiresAt: number;
  /** The addresses of the previous answer, used if the name server can't be reached. */
  known: LookupAddress[];
}

export interface ResolverOptions {
  /** Name servers as `address` or `address:port`. Default: those of the machine. */
  servers?: readonly string[];
  files?: SystemFiles;
}

/**
 * Resolves names by c-ares, and honours the hosts file and the search domains. Node's own `dns.lookup` is not used: it
 * blocks one of the four threads of libuv's pool until the name server answers, so a few names that never resolve would
 * stop every delivery.
 */
export class NameResolver {
  readonly #underWay = new Set<Resolver>();
  readonly #servers: readonly string[];
  readonly #entries = new Map<string, Entry>();
  readonly #places = new ResourceShares(QUERIES_AT_ONCE);
  readonly #files: SystemFiles;
  #system: { names: ReturnType<typeof readSystemNames>; readAt: number } | null = null;

  constructor({ servers = [], files = SYSTEM_FILES }: ResolverOptions = {}) {
    this.#servers = servers;
    this.#files = files;
  }

  /** Resolves a name for a project. Queries for the same name are shared, and answers are kept for their TTL. */
  async resolve(hostname: string, projectId: number): Promise<NameResolution> {
    const name = hostname.toLowerCase();
    const entry = this.#entries.get(name);
    if (entry && performance.now() < entry.expiresAt) return entry.resolution;
    if (this.#places.free === 0 || this.#places.hasUsedUp(projectId, 1)) return { kind: 'busy' };
    return this.#begin(name, projectId, entry?.known ?? []).resolution;
  }

  #begin(name: string, projectId: number, known: LookupAddress[]): Entry {
    this.#places.take(projectId, 1);
    const entry: Entry = {
      resolution: this.#query(name)
        .then(({ addresses, ttlMs }) => {
          entry.known = addresses;
          entry.expiresAt = performance.now() + ttlMs;
          return { kind: 'resolved' as const, addresses };
        })
        .catch((error: NameNotFound) => {
          entry.expiresAt = performance.now() + FAILURE_TTL_MS;
          if (known.length > 0 && !NO_SUCH_NAME.has(error.reason))
            return { kind: 'resolved' as const, addresses: known };
          return { kind: 'failed' as const, error };
        })
        .finally(() => this.#places.putBack(projectId, 1)),
      expiresAt: Number.POSITIVE_INFINITY,
      known,
    };
    this.#keep(name, entry);
    return entry;
  }

  #keep(name: string, entry: Entry): void {
    this.#entries.delete(name);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= MAX_CACHED_NAMES && oldest !== undefined) this.#entries.delete(oldest);
    this.#entries.set(name, entry);
  }

  async #query(name: string): Promise<{ addresses: LookupAddress[]; ttlMs: number }> {
    const system = await this.#readSystem();
    const fixed = system.hosts.get(name.endsWith('.localhost') ? 'localhost' : name);
    if (fixed) return { addresses: fixed.map(toAddress), ttlMs: MIN_TTL_MS };
    let reason = 'ENOTFOUND';
    for (const candidate of candidatesFor(name, system)) {
      const answer = await this.#ask(candidate);
      if (typeof answer !== 'string') return answer;
      reason = answer;
      // Any other reason means that the name server did not answer. It would not answer for the other search domains
      // either.
      if (!NO_SUCH_NAME.has(reason)) break;
    }
    throw new NameNotFound(name, reason);
  }

  /** Asks for IPv4 and IPv6 addresses. Returns the error code if there is no address. */
  async #ask(name: string): Promise<{ addresses: LookupAddress[]; ttlMs: number } | string> {
    const resolver = this.#openResolver();
    const results = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ]);
    this.#underWay.delete(resolver);
    const records = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (records.length > 0) {
      const ttlMs = Math.min(...records.map(({ ttl }) => ttl)) * 1_000;
      return {
        addresses: records.map(({ address }) => toAddress(address)),
        ttlMs: Math.min(MAX_TTL_MS, Math.max(MIN_TTL_MS, ttlMs)),
      };
    }
    const reasons = results.map((result) =>
      result.status === 'rejected' ? ((result.reason as NodeJS.ErrnoException).code ?? 'unknown') : 'ENODATA',
    );
    return reasons.find((reason) => !NO_SUCH_NAME.has(reason)) ?? 'ENOTFOUND';
  }

  /**
   * Opens a new resolver for each name. A resolver adapts its time-out to the answers that it has had, so a resolver
   * that has served many quick names would give up on a name that takes a second.
   */
  #openResolver(): Resolver {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: 2 });
    if (this.#servers.length > 0) resolver.setServers(this.#servers);
    this.#underWay.add(resolver);
    return resolver;
  }

  #readSystem(): ReturnType<typeof readSystemNames> {
    const now = performance.now();
    if (!this.#system || now - this.#system.readAt > SYSTEM_FILES_TTL_MS)
      this.#system = { names: readSystemNames(this.#files), readAt: now };
    return this.#system.names;
  }

  close(): void {
    for (const resolver of this.#underWay) resolver.cancel();
  }
}

const toAddress = (address: string): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 });

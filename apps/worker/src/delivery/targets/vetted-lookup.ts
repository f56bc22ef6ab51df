import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { addressKind } from '@carillon/shared';
import type { NameResolver } from '../names/name-resolver.js';

export interface LookupOptions {
  allowPrivate: boolean;
  names: Pick<NameResolver, 'resolve'>;
}

/** Thrown if a host name resolves only to addresses that a webhook must not reach. */
export class BlockedAddress extends Error {}

/**
 * The id of no project. A new connection does not know for which project it is opened. If the cached address of its
 * host has expired, the connection resolves the name again, and that DNS query counts against this id.
 */
const NO_PROJECT = 0;

/**
 * Resolves a name and returns only the addresses that a webhook may reach. The socket connects to one of these, so a
 * name that resolves differently a moment later (DNS rebinding) has no effect.
 */
export function vettedLookup({ allowPrivate, names }: LookupOptions): LookupFunction {
  const isAllowed = ({ address }: LookupAddress) => {
    const kind = addressKind(address);
    return kind === 'public' || (kind === 'private' && allowPrivate);
  };
  const lookup = async (hostname: string): Promise<LookupAddress[]> => {
    const resolution = await names.resolve(hostname, NO_PROJECT);
    if (resolution.kind === 'busy') throw new Error(`${hostname} could not be resolved: too many queries`);
    if (resolution.kind === 'failed') throw resolution.error;
    const allowed = resolution.addresses.filter(isAllowed);
    if (allowed.length === 0)
      throw new BlockedAddress(`${hostname} leads to a private address; webhooks go to public ones`);
    return allowed;
  };
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (allowed) => {
        const [first] = allowed as [LookupAddress];
        if (options.all) callback(null, allowed);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ''),
    );
  };
}

/** The name to resolve for the host of a URL; null if the host is an IP address. */
export function nameIn({ hostname }: URL): string | null {
  return hostname.startsWith('[') || isIP(hostname) !== 0 ? null : hostname;
}

import { lookup as askResolver, type LookupAddress, type LookupAllOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { addressKind } from '@carillon/shared';

export interface LookupOptions {
  allowPrivate: boolean;
  /** Whom to ask; the machine's resolver, if nobody is named. */
  resolve?: (hostname: string, options: LookupAllOptions, callback: Resolved) => void;
}

type Resolved = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** A name that leads nowhere a webhook may go. */
export class BlockedAddress extends Error {}

/**
 * Looks a name up and answers with those of its addresses that a webhook may go to. The socket connects to what this
 * answers and nothing else, so a name that resolves differently the next moment gains nothing by it.
 */
export function vettedLookup({ allowPrivate, resolve = askResolver }: LookupOptions): LookupFunction {
  const isAllowed = ({ address }: LookupAddress) => {
    const kind = addressKind(address);
    return kind === 'public' || (kind === 'private' && allowPrivate);
  };
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.filter(isAllowed);
      const [first] = allowed;
      if (!first)
        return callback(
          new BlockedAddress(`${hostname} leads to a private address; webhooks go to public ones`),
          '',
        );
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

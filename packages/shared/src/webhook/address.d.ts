/**
 * The kind of an address. `private` is this machine or its network, which an installation may allow. `forbidden` can't
 * be a receiver (cloud metadata, multicast, documentation, tunnels) and is always refused.
 */
export type AddressKind = 'public' | 'private' | 'forbidden';
/** The kind of an address in the spelling that URL and DNS use; null if the text is not an address. */
export declare function addressKind(text: string): AddressKind | null;

/** Returns what is wrong with a webhook URL, whatever the installation allows; null if the URL is valid. */
export declare function urlProblem(text: string): string | null;
/**
 * Returns what is wrong with the spelling of a URL's host, or null. The URL parser has already turned `0x7f.1`,
 * `2130706433` and full-width digits into the address that they mean. A name is vetted again when it is resolved.
 */
export declare function hostProblem(url: string, { allowPrivate }: {
    allowPrivate: boolean;
}): string | null;
/** The host without the brackets of IPv6 or the dot that ends a full name. */
export declare function hostOf({ hostname }: URL): string;

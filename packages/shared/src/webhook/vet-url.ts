import { RecentCache } from '@carillon/recurrence';
import { addressKind } from './address.js';

const MAX_URL_LENGTH = 2_048;

/** Host names that always lead to this machine or its network. */
const PRIVATE_NAMES = /(^|\.)(localhost|localhost\.localdomain|local|internal|home\.arpa|lan)$/;

/** Cached results of the checks below, because many schedules share a few URLs. */
const judgedUrls = new RecentCache<string, string | null>(1_000);
const judgedHosts = new RecentCache<string, string | null>(1_000);

/** Returns what is wrong with a webhook URL, whatever the installation allows; null if the URL is valid. */
export function urlProblem(text: string): string | null {
  return judgedUrls.get(text, () => judgeUrl(text));
}

function judgeUrl(text: string): string | null {
  if (text.length > MAX_URL_LENGTH) return `expected at most ${MAX_URL_LENGTH} characters`;
  // The URL parser drops tabs and newlines and converts backslashes, so a text with them does not mean what it looks
  // like.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  if (/[\s\\\u0000-\u001f\u007f]/.test(text))
    return 'expected a URL without blanks, backslashes or control characters';
  if (!URL.canParse(text)) return 'expected an absolute URL, such as https://example.com/hook';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'expected an http or https URL';
  if (url.username !== '' || url.password !== '')
    return 'expected a URL without a user name or password in it';
  if (url.hostname === '' || url.hostname === '.') return 'expected a host in the URL';
  return null;
}

/**
 * Returns what is wrong with the spelling of a URL's host, or null. The URL parser has already turned `0x7f.1`,
 * `2130706433` and full-width digits into the address that they mean. A name is vetted again when it is resolved.
 */
export function hostProblem(url: string, { allowPrivate }: { allowPrivate: boolean }): string | null {
  return judgedHosts.get(`${allowPrivate} ${url}`, () => judgeHost(url, allowPrivate));
}

function judgeHost(url: string, allowPrivate: boolean): string | null {
  const host = hostOf(new URL(url));
  const kind = addressKind(host);
  if (kind === 'forbidden') return `${host} is not an address that a webhook may go to`;
  if (allowPrivate) return null;
  // A name without a dot can only be a machine of the local network.
  const isPrivateName = kind === null && (!host.includes('.') || PRIVATE_NAMES.test(host));
  if (kind === 'private' || isPrivateName) return `${host} is a private address; webhooks go to public ones`;
  return null;
}

/** The host without the brackets of IPv6 or the dot that ends a full name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

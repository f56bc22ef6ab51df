import { RecentCache } from '../rules/recent-cache.js';
import { addressKind } from './address.js';

const LONGEST_URL = 2_048;

/** Names that lead to this machine or its network wherever they are looked up. */
const PRIVATE_NAMES = /(^|\.)(localhost|localhost\.localdomain|local|internal|home\.arpa|lan)$/;

/** A herd goes to a few URLs. */
const judgedUrls = new RecentCache<string, string | null>(1_000);
const judgedHosts = new RecentCache<string, string | null>(1_000);

/** What is wrong with a URL to be posted to, whatever this installation allows; null where nothing is. */
export function urlProblem(text: string): string | null {
  return judgedUrls.get(text, () => judgeUrl(text));
}

function judgeUrl(text: string): string | null {
  if (text.length > LONGEST_URL) return `expected at most ${LONGEST_URL} characters`;
  // The parser drops tabs and newlines and turns backslashes around: what people read is not what it does.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
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
 * What is wrong with the host of such a URL, as far as its spelling tells. The parser has by now turned `0x7f.1`,
 * `2130706433` and full-width digits into the address that they mean; a name is vetted again where it resolves.
 */
export function hostProblem(url: string, { allowPrivate }: { allowPrivate: boolean }): string | null {
  return judgedHosts.get(`${allowPrivate} ${url}`, () => judgeHost(url, allowPrivate));
}

function judgeHost(url: string, allowPrivate: boolean): string | null {
  const host = hostOf(new URL(url));
  const kind = addressKind(host);
  if (kind === 'forbidden') return `${host} is not an address that a webhook may go to`;
  if (allowPrivate) return null;
  // Without a dot a name can only mean a machine nearby.
  const isPrivateName = kind === null && (!host.includes('.') || PRIVATE_NAMES.test(host));
  if (kind === 'private' || isPrivateName) return `${host} is a private address; webhooks go to public ones`;
  return null;
}

/** The host without the brackets of IPv6 or the dot that ends a full name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '');
}

/**
 * The kind of an address. `private` is this machine or its network, which an installation may allow. `forbidden` can't
 * be a receiver (cloud metadata, multicast, documentation, tunnels) and is always refused.
 */
export type AddressKind = 'public' | 'private' | 'forbidden';

const v4 = (text: string) => text.split('.').reduce((bits, part) => bits * 256 + Number(part), 0);

/** Special IPv4 ranges. Every other address is public. */
const V4_RANGES: readonly { from: number; size: number; kind: AddressKind }[] = (
  [
    ['0.0.0.0', 8, 'forbidden'], // "this host", which Linux treats as loopback
    ['10.0.0.0', 8, 'private'],
    ['100.64.0.0', 10, 'private'],
    ['127.0.0.0', 8, 'private'],
    ['169.254.0.0', 16, 'forbidden'], // link-local; clouds serve credentials here
    ['172.16.0.0', 12, 'private'],
    ['192.0.0.0', 24, 'forbidden'],
    ['192.0.2.0', 24, 'forbidden'],
    ['192.31.196.0', 24, 'forbidden'],
    ['192.52.193.0', 24, 'forbidden'],
    ['192.88.99.0', 24, 'forbidden'],
    ['192.168.0.0', 16, 'private'],
    ['192.175.48.0', 24, 'forbidden'],
    ['198.18.0.0', 15, 'forbidden'],
    ['198.51.100.0', 24, 'forbidden'],
    ['203.0.113.0', 24, 'forbidden'],
    ['224.0.0.0', 4, 'forbidden'],
    ['240.0.0.0', 4, 'forbidden'],
  ] as const
).map(([from, prefix, kind]) => ({ from: v4(from), size: 2 ** (32 - prefix), kind }));

const V4_TEXT = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** The kind of an address in the spelling that URL and DNS use; null if the text is not an address. */
export function addressKind(text: string): AddressKind | null {
  if (V4_TEXT.test(text)) return v4Kind(v4(text));
  const groups = v6Groups(text);
  return groups === null ? null : v6Kind(groups);
}

function v4Kind(bits: number): AddressKind {
  return V4_RANGES.find(({ from, size }) => bits >= from && bits < from + size)?.kind ?? 'public';
}

/** Ranges within 2000::/3 that the IANA registry of special-purpose addresses lists. They are forbidden. */
const V6_RANGES: readonly { groups: readonly number[]; prefix: number }[] = [
  { groups: [0x2001, 0], prefix: 23 }, // IETF protocol assignments: Teredo, benchmarking, ORCHID, drone ids
  { groups: [0x2001, 0xdb8], prefix: 32 }, // documentation
  { groups: [0x2002], prefix: 16 }, // 6to4
  { groups: [0x2620, 0x4f, 0x8000], prefix: 48 }, // AS112
  { groups: [0x3fff], prefix: 20 }, // documentation
];

/**
 * The kind of an IPv6 address. Loopback (::1) and unique local addresses (fc00::/7) are private. An address that embeds
 * an IPv4 address has the kind of the IPv4 address. An address in 2000::/3 is public, unless it lies in a special
 * range. Every other address is forbidden.
 */
function v6Kind(groups: readonly number[]): AddressKind {
  const [first] = groups as [number];
  const startsWith = (...prefix: number[]) => prefix.every((group, index) => groups[index] === group);
  const embedded = () => v4Kind((groups[6] as number) * 65_536 + (groups[7] as number));
  if (startsWith(0, 0, 0, 0, 0, 0, 0, 1)) return 'private';
  if (startsWith(0, 0, 0, 0, 0, 0xffff) || startsWith(0x64, 0xff9b, 0, 0, 0, 0)) return embedded();
  if (first >> 9 === 0b1111110) return 'private';
  const isSpecial = V6_RANGES.some((range) => isWithin(groups, range));
  return first >> 13 === 0b001 && !isSpecial ? 'public' : 'forbidden';
}

function isWithin(address: readonly number[], { groups, prefix }: (typeof V6_RANGES)[number]): boolean {
  for (let i = 0; i * 16 < prefix; i++) {
    const unused = Math.max(0, 16 - (prefix - i * 16));
    if ((address[i] as number) >> unused !== (groups[i] ?? 0) >> unused) return false;
  }
  return true;
}

/** The eight groups of an IPv6 address, whose last four bytes may be written as IPv4; null if the text is not one. */
function v6Groups(text: string): number[] | null {
  const [address = ''] = text.split('%'); // a zone id names an interface of this machine and does not change the address
  const dotted = /^(.*:)([\d.]+)$/.exec(address);
  if (dotted?.[2]?.includes('.')) {
    if (!V4_TEXT.test(dotted[2])) return null;
    const bits = v4(dotted[2]);
    return v6Groups(`${dotted[1]}${Math.floor(bits / 65_536).toString(16)}:${(bits % 65_536).toString(16)}`);
  }
  const halves = address.split('::');
  if (halves.length > 2 || !address.includes(':')) return null;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
}

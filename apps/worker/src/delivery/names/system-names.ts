import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** The machine's own settings for name resolution: fixed addresses, and the search domains of short names. */
export interface SystemNames {
  hosts: ReadonlyMap<string, string[]>;
  search: string[];
  /** A name with fewer dots than this is tried with the search domains first. */
  ndots: number;
}

export interface SystemFiles {
  hosts: string;
  resolvConf: string;
}

export const SYSTEM_FILES: SystemFiles = { hosts: '/etc/hosts', resolvConf: '/etc/resolv.conf' };

export async function readSystemNames(files: SystemFiles): Promise<SystemNames> {
  const [hosts, resolvConf] = await Promise.all([readLines(files.hosts), readLines(files.resolvConf)]);
  return { hosts: parseHosts(hosts), ...parseResolvConf(resolvConf) };
}

/** Reads a file as lines of words, without comments. A missing file counts as empty. */
async function readLines(path: string): Promise<string[][]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  );
}

function parseHosts(lines: readonly string[][]): Map<string, string[]> {
  const hosts = new Map<string, string[]>([['localhost', ['127.0.0.1', '::1']]]);
  const isListed = new Set<string>();
  for (const [address = '', ...names] of lines) {
    if (isIP(address) === 0) continue;
    for (const name of names.map((each) => each.toLowerCase())) {
      // The first line of the file for a name replaces the default addresses of that name; further lines add addresses.
      const known = isListed.has(name) ? (hosts.get(name) ?? []) : [];
      hosts.set(name, [...new Set([...known, address])]);
      isListed.add(name);
    }
  }
  return hosts;
}

function parseResolvConf(lines: readonly string[][]): Pick<SystemNames, 'search' | 'ndots'> {
  let search: string[] = [];
  let ndots = 1;
  for (const [keyword, ...words] of lines) {
    if (keyword === 'search' || keyword === 'domain') search = words.filter((word) => word !== '.');
    if (keyword !== 'options') continue;
    const [, dots] = /^ndots:(\d+)$/.exec(words.find((word) => word.startsWith('ndots:')) ?? '') ?? [];
    if (dots !== undefined) ndots = Math.min(15, Number(dots));
  }
  return { search: search.slice(0, 6), ndots };
}

/** The full names to query, in the order in which they are tried. */
export function candidatesFor(name: string, { search, ndots }: SystemNames): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const inDomains = search.map((domain) => `${name}.${domain}`);
  const dots = name.split('.').length - 1;
  return dots >= ndots ? [name, ...inDomains] : [...inDomains, name];
}

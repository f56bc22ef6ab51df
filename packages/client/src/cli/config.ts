import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CarillonOptions } from '../carillon.js';
import { UsageError } from './usage-error.js';

/** The environment variables of the process. The type names those that the command reads. */
export interface Environment extends Readonly<Record<string, string | undefined>> {
  CARILLON_URL?: string | undefined;
  CARILLON_KEY?: string | undefined;
  CARILLON_HOME?: string | undefined;
  NO_COLOR?: string | undefined;
  TERM?: string | undefined;
}

const LOCAL_URL = 'http://127.0.0.1:3000';
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * Finds the URL and the key of the API: from the options, then from the environment, then from the installation in this
 * folder.
 */
export function connectionOf(
  env: Environment,
  given: { url?: string | undefined; key?: string | undefined },
): Pick<CarillonOptions, 'url' | 'key'> {
  const home = env.CARILLON_HOME || '.carillon';
  // `npm start` writes the URL of its API to this file.
  const url = given.url || env.CARILLON_URL || readHomeFile(home, 'api.url') || LOCAL_URL;
  const host = hostOf(url);
  const key = given.key || env.CARILLON_KEY;
  if (key) return { url, key };
  // The stored key belongs to the local installation and is never sent to another host.
  const isLocal = LOOPBACK.includes(host) || url === readHomeFile(home, 'api.url');
  const storedKey = isLocal ? readHomeFile(home, 'admin.key') : null;
  if (storedKey === null) {
    throw new UsageError(
      'no API key: set CARILLON_KEY, pass --key, or run this command in the folder where `npm start` was run',
    );
  }
  return { url, key: storedKey };
}

function hostOf(url: string): string {
  try {
    const { protocol, hostname } = new URL(url);
    if (protocol === 'http:' || protocol === 'https:') return hostname;
  } catch {}
  throw new UsageError(`${url} is not a URL of an API; expected, for example, ${LOCAL_URL}`);
}

function readHomeFile(home: string, file: string): string | null {
  try {
    return readFileSync(join(home, file), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Colours only on a terminal, and not if NO_COLOR is set. */
export const wantsColour = (env: Environment, isTty: boolean) =>
  isTty && !env.NO_COLOR && env.TERM !== 'dumb';

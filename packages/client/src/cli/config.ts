import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CarillonOptions } from '../carillon.js';
import { UsageError } from './usage-error.js';

export interface Environment {
  CARILLON_URL?: string | undefined;
  CARILLON_KEY?: string | undefined;
  CARILLON_HOME?: string | undefined;
  NO_COLOR?: string | undefined;
  TERM?: string | undefined;
}

const LOCAL_URL = 'http://127.0.0.1:3000';
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Which Carillon, by which key: what was typed, then the environment, then the one that `npm start` runs here. */
export function connectionOf(
  env: Environment,
  given: { url?: string | undefined; key?: string | undefined },
): Pick<CarillonOptions, 'url' | 'key'> {
  const url = given.url || env.CARILLON_URL || LOCAL_URL;
  const host = hostOf(url);
  const key = given.key || env.CARILLON_KEY;
  if (key) return { url, key };
  // The key of the Carillon here is for no other: it is not sent to another machine.
  const kept = LOOPBACK.includes(host) ? localKey(env.CARILLON_HOME || '.carillon') : null;
  if (kept === null) {
    throw new UsageError(
      'no API key: set CARILLON_KEY, give one with --key, or run this in the folder where `npm start` was run',
    );
  }
  return { url, key: kept };
}

function hostOf(url: string): string {
  try {
    const { protocol, hostname } = new URL(url);
    if (protocol === 'http:' || protocol === 'https:') return hostname;
  } catch {}
  throw new UsageError(`${url} is not the address of a Carillon; expected one such as ${LOCAL_URL}`);
}

function localKey(home: string): string | null {
  try {
    return readFileSync(join(home, 'admin.key'), 'utf8').trim() || null;
  } catch {
    return null;
  }
}

/** Colours are for people: none in files and pipes, nor where NO_COLOR is set to anything. */
export const wantsColour = (env: Environment, isTty: boolean) =>
  isTty && !env.NO_COLOR && env.TERM !== 'dumb';

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connectionOf, wantsColour } from './config.js';

const home = mkdtempSync(join(tmpdir(), 'carillon-home-'));
writeFileSync(join(home, 'admin.key'), 'ck_local\n');
afterAll(() => rmSync(home, { recursive: true }));

describe('Which Carillon', () => {
  it('is said by options, then by the environment, then by what runs here', () => {
    const env = { CARILLON_URL: 'https://a', CARILLON_KEY: 'ck_env', CARILLON_HOME: home };
    expect(connectionOf(env, { url: 'https://b', key: 'ck_b' })).toEqual({ url: 'https://b', key: 'ck_b' });
    expect(connectionOf(env, {})).toEqual({ url: 'https://a', key: 'ck_env' });
    expect(connectionOf({ CARILLON_HOME: home }, {})).toEqual({
      url: 'http://127.0.0.1:3000',
      key: 'ck_local',
    });
  });

  it('never gets the key of another', () => {
    expect(() => connectionOf({ CARILLON_HOME: home, CARILLON_URL: 'https://a' }, {})).toThrow('no API key');
    expect(connectionOf({ CARILLON_HOME: home }, { url: 'http://localhost:4000' })).toMatchObject({
      key: 'ck_local',
    });
  });

  it('has an address', () => {
    for (const url of ['127.0.0.1:3000', 'ftp://a', 'x']) {
      expect(() => connectionOf({ CARILLON_KEY: 'k' }, { url })).toThrow('is not the address of a Carillon');
    }
  });
});

describe('Colours', () => {
  it('are for terminals, and for those who want them', () => {
    expect(wantsColour({}, true)).toBe(true);
    expect(wantsColour({}, false)).toBe(false);
    expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false);
    expect(wantsColour({ TERM: 'dumb' }, true)).toBe(false);
  });
});

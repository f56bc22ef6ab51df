import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connectionOf, wantsColour } from './config.js';

const home = mkdtempSync(join(tmpdir(), 'carillon-home-'));
writeFileSync(join(home, 'admin.key'), 'ck_local\n');
afterAll(() => rmSync(home, { recursive: true }));

describe('connectionOf', () => {
  it('the carillon command takes the API URL and key from its options, else from the environment, else from the local installation', () => {
    const env = { CARILLON_URL: 'https://a', CARILLON_KEY: 'ck_env', CARILLON_HOME: home };
    expect(connectionOf(env, { url: 'https://b', key: 'ck_b' })).toEqual({ url: 'https://b', key: 'ck_b' });
    expect(connectionOf(env, {})).toEqual({ url: 'https://a', key: 'ck_env' });
    expect(connectionOf({ CARILLON_HOME: home }, {})).toEqual({
      url: 'http://127.0.0.1:3000',
      key: 'ck_local',
    });
  });

  it('the carillon command finds the API URL that npm start wrote to CARILLON_HOME', () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'carillon-home-'));
    writeFileSync(join(elsewhere, 'admin.key'), 'ck_elsewhere\n');
    writeFileSync(join(elsewhere, 'api.url'), 'http://192.168.7.7:4567\n');
    expect(connectionOf({ CARILLON_HOME: elsewhere }, {})).toEqual({
      url: 'http://192.168.7.7:4567',
      key: 'ck_elsewhere',
    });
    expect(connectionOf({ CARILLON_HOME: elsewhere }, { url: 'http://localhost:1' }).url).toBe(
      'http://localhost:1',
    );
    expect(() => connectionOf({ CARILLON_HOME: elsewhere }, { url: 'http://192.168.7.8:1' })).toThrow(
      'no API key',
    );
    rmSync(elsewhere, { recursive: true });
  });

  it('the carillon command never sends the API key of the local installation to another host', () => {
    expect(() => connectionOf({ CARILLON_HOME: home, CARILLON_URL: 'https://a' }, {})).toThrow('no API key');
    expect(connectionOf({ CARILLON_HOME: home }, { url: 'http://localhost:4000' })).toMatchObject({
      key: 'ck_local',
    });
  });

  it('the carillon command refuses an invalid API URL', () => {
    for (const url of ['127.0.0.1:3000', 'ftp://a', 'x']) {
      expect(() => connectionOf({ CARILLON_KEY: 'k' }, { url })).toThrow('is not a URL of an API');
    }
  });
});

describe('wantsColour', () => {
  it('the carillon command uses colours only on a terminal, and never with NO_COLOR', () => {
    expect(wantsColour({}, true)).toBe(true);
    expect(wantsColour({}, false)).toBe(false);
    expect(wantsColour({ NO_COLOR: '1' }, true)).toBe(false);
    expect(wantsColour({ TERM: 'dumb' }, true)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { parseRedisUrl } from './redis-url.js';

const login = { username: undefined, password: undefined, isTls: false };

describe('REDIS_URL', () => {
  it.each([
    ['redis://host', { ...login, kind: 'single', hosts: [{ host: 'host', port: 6379 }], db: 0 }],
    [
      'rediss://user:p%40ss@host:6380/3',
      {
        kind: 'single',
        hosts: [{ host: 'host', port: 6380 }],
        db: 3,
        username: 'user',
        password: 'p@ss',
        isTls: true,
      },
    ],
    [
      'redis-sentinel://:secret@a,b:26380/mymaster/2',
      {
        ...login,
        kind: 'sentinel',
        hosts: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 26_380 },
        ],
        master: 'mymaster',
        db: 2,
        password: 'secret',
      },
    ],
    [
      'rediss-cluster://[::1]:7000,b:7001',
      {
        ...login,
        kind: 'cluster',
        hosts: [
          { host: '::1', port: 7_000 },
          { host: 'b', port: 7_001 },
        ],
        isTls: true,
      },
    ],
  ])('the REDIS_URL %s is parsed', (url, place) => {
    expect(parseRedisUrl(url)).toEqual(place);
  });

  it.each([
    ['http://host', 'expected redis://'],
    ['redis://:secret@a,b', 'redis-sentinel:// or redis-cluster://'],
    ['redis://:secret@host:99999', 'port from 1 to 65535'],
    ['redis-sentinel://:secret@a,b', 'name of the master'],
    ['redis-cluster://:secret@a/1', 'no databases'],
  ])('the REDIS_URL %s is refused, and the reason does not contain the password', (url, reason) => {
    const { problem } = parseRedisUrl(url) as { problem: string };
    expect(problem).toContain(reason);
    expect(problem).not.toContain('secret');
  });
});

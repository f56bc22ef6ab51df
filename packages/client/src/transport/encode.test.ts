import { describe, expect, it } from 'vitest';
import { encodeBody, encodeQuery, pathSegment } from './encode.js';

const at = new Date('2026-11-16T09:00:00Z');

describe('encode', () => {
  it('the client does not send query values that are undefined', () => {
    expect(encodeQuery()).toBe('');
    expect(encodeQuery({ tag: undefined, limit: 5, q: 'a b&c' })).toBe('?limit=5&q=a+b%26c');
  });

  it('the client sends Date values as RFC 3339 instants', () => {
    expect(encodeQuery({ from: at })).toBe('?from=2026-11-16T09%3A00%3A00.000Z');
    expect(encodeBody({ rule: { at } })).toBe('{"rule":{"at":"2026-11-16T09:00:00.000Z"}}');
  });

  it('the client refuses an invalid Date instead of sending null', () => {
    expect(() => encodeBody({ pause: { until: new Date('soon') } })).toThrow('until is an invalid Date');
    expect(() => encodeQuery({ from: new Date('soon') })).toThrow('from is an invalid Date');
  });

  it('the client encodes slashes and dots in an id, so that the id cannot address another path', () => {
    expect(pathSegment('a/../b')).toBe('a%2F..%2Fb');
    for (const id of ['', '.', '..']) expect(() => pathSegment(id)).toThrow(`"${id}" is not an id`);
  });
});

import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../format/time.js';
import { clockChanges } from './clock-changes.js';

const changesIn = (from: string, to: string, zone: string) =>
  clockChanges(Date.parse(from), Date.parse(to), zone).map(({ at, byMs }) => [
    new Date(at).toISOString(),
    byMs / HOUR_MS,
  ]);

describe('clockChanges', () => {
  it('clockChanges finds the spring and the autumn change of a year in Berlin, to the second', () => {
    expect(changesIn('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 'Europe/Berlin')).toEqual([
      ['2026-03-29T01:00:00.000Z', 1],
      ['2026-10-25T01:00:00.000Z', -1],
    ]);
  });

  it('clockChanges finds a change of half an hour, as on Lord Howe Island', () => {
    expect(changesIn('2026-10-01T00:00:00Z', '2026-10-08T00:00:00Z', 'Australia/Lord_Howe')).toEqual([
      ['2026-10-03T15:30:00.000Z', 0.5],
    ]);
  });

  it('clockChanges returns no change in UTC, and none for a range of ten years, which would have too many to show', () => {
    expect(changesIn('2026-01-01T00:00:00Z', '2027-01-01T00:00:00Z', 'UTC')).toEqual([]);
    expect(changesIn('2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z', 'Europe/Berlin')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { addressOf, type Home, type HomeNow, judgeHome, type MarkState } from './home.js';

const HOME: Home = { systemIdentifier: '71', databaseOid: 5, timeline: 1, addresses: ['db:5432/carillon'] };
const NOW: HomeNow = { systemIdentifier: '71', databaseOid: 5, timeline: 1, address: 'db:5432/carillon' };
const MARKS: MarkState[] = ['intact', 'absent', 'silent'];
const kinds = (changes: Partial<HomeNow>, recorded: Home | null = HOME) =>
  MARKS.map((mark) => judgeHome(recorded, { ...NOW, ...changes }, mark).kind);

describe('judgeHome', () => {
  it('a database on the server that its workers know is never taken for a copy, whatever Redis says', () => {
    expect(kinds({})).toEqual(['same', 'same', 'same']);
  });

  it('a database without a recorded server is recorded, and never taken for a copy', () => {
    expect(kinds({}, null)).toEqual(['moved', 'moved', 'moved']);
  });

  it.each([
    ['another cluster', { systemIdentifier: '72' }],
    ['a database that was created anew', { databaseOid: 6 }],
  ])('%s is a copy, unless the mark in Redis is intact', (_what, changes) => {
    expect(kinds(changes)).toEqual(['moved', 'copied', 'copied']);
  });

  it.each([
    ['a new timeline', { timeline: 2 }],
    ['a new address', { address: 'staging:5432/carillon' }],
  ])('%s is a copy only if Redis has lost the mark too, and a suspicion without Redis', (_what, changes) => {
    expect(kinds(changes)).toEqual(['moved', 'copied', 'suspect']);
  });

  it('an address is not compared if this worker or all workers before it connected over loopback', () => {
    expect(kinds({ address: null })).toEqual(['same', 'same', 'same']);
    expect(kinds({}, { ...HOME, addresses: [] })).toEqual(['moved', 'moved', 'moved']);
  });

  it('facts that a managed Postgres does not show are not compared', () => {
    expect(kinds({ systemIdentifier: null, databaseOid: null, timeline: null })).toEqual([
      'same',
      'same',
      'same',
    ]);
  });

  it('every address by which workers have reached the database stays known', () => {
    const verdict = judgeHome(HOME, { ...NOW, address: 'pooler:6432/carillon' }, 'intact');
    expect(verdict).toMatchObject({ home: { addresses: ['db:5432/carillon', 'pooler:6432/carillon'] } });
  });
});

describe('addressOf', () => {
  it('an address names host, port and database, and no credentials', () => {
    expect(addressOf('postgres://user:secret@db.example.com/carillon?sslmode=require')).toBe(
      'db.example.com:5432/carillon',
    );
  });

  it('loopback addresses and sockets are no addresses', () => {
    for (const host of ['localhost', '127.0.0.1:5433', '[::1]:5432', '']) {
      expect(addressOf(`postgres://${host}/carillon`)).toBeNull();
    }
  });
});

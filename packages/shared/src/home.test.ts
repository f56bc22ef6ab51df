import { describe, expect, it } from 'vitest';
import { addressOf, type CurrentHome, type Home, judgeHome, type MarkState } from './home.js';

const HOME: Home = { systemIdentifier: '71', databaseOid: 5, timeline: 1, addresses: ['db:5432/carillon'] };
const NOW: CurrentHome = { systemIdentifier: '71', databaseOid: 5, timeline: 1, address: 'db:5432/carillon' };
const MARKS: MarkState[] = ['intact', 'absent', 'silent'];
const kinds = (changes: Partial<CurrentHome>, recorded: Home | null = HOME) =>
  MARKS.map((mark) => judgeHome(recorded, { ...NOW, ...changes }, mark).kind);

describe('judgeHome', () => {
  it('a database on its recorded server is not taken for a copy, whether or not Redis has the latest heartbeat of its workers', () => {
    expect(kinds({})).toEqual(['same', 'same', 'same']);
  });

  it('a database without a recorded server is not taken for a copy, whether or not Redis has the latest heartbeat of its workers', () => {
    expect(kinds({}, null)).toEqual(['moved', 'moved', 'moved']);
  });

  it.each([
    ['in another cluster', { systemIdentifier: '72' }],
    ['that was created anew', { databaseOid: 6 }],
  ])(
    'a database %s is taken for a copy, unless the mark of its workers in Redis is intact',
    (_what, changes) => {
      expect(kinds(changes)).toEqual(['moved', 'copied', 'copied']);
    },
  );

  it.each([
    ['on a new timeline', { timeline: 2 }],
    ['at a new address', { address: 'staging:5432/carillon' }],
  ])(
    'a database %s is taken for a copy if Redis has no mark of its workers, and is only suspected to be a copy if Redis does not answer',
    (_what, changes) => {
      expect(kinds(changes)).toEqual(['moved', 'copied', 'suspect']);
    },
  );

  it('a database is not taken for a copy because of its address if this worker connects over loopback, or if every earlier worker did', () => {
    expect(kinds({ address: null })).toEqual(['same', 'same', 'same']);
    expect(kinds({}, { ...HOME, addresses: [] })).toEqual(['moved', 'moved', 'moved']);
  });

  it('a database is not taken for a copy if its managed Postgres does not reveal which cluster it is', () => {
    expect(kinds({ systemIdentifier: null, databaseOid: null, timeline: null })).toEqual([
      'same',
      'same',
      'same',
    ]);
  });

  it('a new address of a database is added to the addresses by which workers have reached it', () => {
    const verdict = judgeHome(HOME, { ...NOW, address: 'pooler:6432/carillon' }, 'intact');
    expect(verdict).toMatchObject({ home: { addresses: ['db:5432/carillon', 'pooler:6432/carillon'] } });
  });
});

describe('addressOf', () => {
  it('the recorded address of a database has its host, port and name, and no credentials', () => {
    expect(addressOf('postgres://user:secret@db.example.com/carillon?sslmode=require')).toBe(
      'db.example.com:5432/carillon',
    );
  });

  it('addressOf returns null for the URL of a database over loopback or a socket, because on another machine such a URL means another server', () => {
    for (const host of ['localhost', '127.0.0.1:5433', '[::1]:5432', '']) {
      expect(addressOf(`postgres://${host}/carillon`)).toBeNull();
    }
  });
});

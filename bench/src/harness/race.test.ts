import { describe, expect, it } from 'vitest';
import { faultsIn, latenessFaults } from './one-shots.js';
import { interleave, type RaceContext } from './race.js';

const context = (repeat: number) => ({ repeat, say: () => {} }) as unknown as RaceContext;
const [sound, unsound] = [{ name: 'sound' }, { name: 'unsound' }];

describe('race', () => {
  it('a benchmark race runs one round of each contender in turn, instead of all rounds of one contender first', async () => {
    const turns: string[] = [];
    await interleave(context(2), [sound, unsound], async ({ name }) => turns.push(name));
    expect(turns).toEqual(['sound', 'unsound', 'sound', 'unsound']);
  });

  it('in a benchmark race, a contender with an invalid round gets no figure, and the other contenders get theirs', async () => {
    let rounds = 0;
    const all = await interleave(context(3), [sound, unsound], async (contender) => {
      if (contender === unsound && ++rounds === 2) throw new Error('it lost one\nat such a place');
      return 1;
    });
    expect(all).toEqual([
      { contender: sound, samples: [1, 1, 1], refused: null },
      { contender: unsound, samples: [], refused: 'unsound: it lost one' },
    ]);
    expect(rounds).toBe(2);
  });
});

describe('round of jobs', () => {
  const jobs = [0, 1, 2].map((n) => ({ n, at: 0 }));
  const faults = (seen: number[], latenessMs: number[]) =>
    faultsIn({ seen: Uint8Array.from(seen), latenessMs: Int32Array.from(latenessMs) }, jobs);

  it('a benchmark round is valid if each job ran once and none ran early', () => {
    expect(faults([1, 1, 1], [0, 5, 0])).toEqual([]);
  });

  it('a benchmark round is invalid if the lateness that Carillon stored differs from the one that the handler measured', () => {
    const measured = Int32Array.from([5, 9_000]);
    const stored = (latenessMs: number | null) => [
      { n: 0, latenessMs: 6 },
      { n: 1, latenessMs },
    ];
    expect(latenessFaults(stored(8_998), measured)).toEqual([]);
    const fault = '1 jobs have another lateness in Postgres than in their handler';
    expect(latenessFaults(stored(9), measured)).toEqual([fault]);
    expect(latenessFaults(stored(null), measured)).toEqual([fault]);
  });

  it.each([
    ['a job never ran', [1, 0, 1], [0, 0, 0], '1 jobs never came'],
    ['jobs ran more than once', [2, 1, 3], [0, 0, 0], '2 jobs came more than once'],
    ['a job ran early', [1, 1, 1], [0, -1, 0], '1 jobs came early'],
  ])('a benchmark round is invalid if %s', (_, seen, latenessMs, fault) => {
    expect(faults(seen, latenessMs)).toEqual([fault]);
  });
});

import { expect, it } from 'vitest';
import { ResourceShares } from './resource-shares.js';

const PLACES = 1_000;

/** Lets the projects take one piece after the other, without ever giving one back, until no project may take more. */
function fill(shares: ResourceShares, projects: readonly { id: number; weight: number }[]): void {
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    for (const { id, weight } of projects) {
      if (shares.free === 0 || shares.hasUsedUp(id, weight)) continue;
      shares.take(id, Math.max(1, Math.floor(shares.perBatch / projects.length)));
      isGrowing = true;
    }
  }
}

const equal = (count: number) => Array.from({ length: count }, (_, id) => ({ id, weight: 1 }));

it('a project that is alone on a worker can use at least half of its capacity, and at least an eighth stays free for other projects', () => {
  const shares = new ResourceShares(PLACES);
  fill(shares, equal(1));
  expect(shares.heldBy(0)).toBeGreaterThanOrEqual(PLACES / 2);
  expect(shares.free).toBeGreaterThanOrEqual(PLACES / 8);
});

it.each([2, 3, 5, 10])(
  '%i projects whose runs never end get about the same share of a worker each, and a part of the worker stays free',
  (count) => {
    const shares = new ResourceShares(PLACES);
    fill(shares, equal(count));
    const held = equal(count).map(({ id }) => shares.heldBy(id));
    expect(Math.max(...held) / Math.min(...held)).toBeLessThan(2);
    expect(shares.free).toBeGreaterThan(0);
  },
);

it('a project with weight 3 may have more concurrent runs in a worker than a project with the default weight', () => {
  const shares = new ResourceShares(PLACES);
  fill(shares, [
    { id: 1, weight: 3 },
    { id: 2, weight: 1 },
  ]);
  expect(shares.heldBy(1)).toBeGreaterThan(shares.heldBy(2));
});

it('a project that has used up its share of a crowded worker gets room again when runs of another project end', () => {
  const shares = new ResourceShares(PLACES);
  shares.take(1, 500);
  shares.take(2, 400);
  expect([shares.hasUsedUp(1, 1), shares.isCrowded]).toEqual([true, true]);
  shares.putBack(2, 400);
  expect([shares.hasUsedUp(1, 1), shares.isCrowded]).toEqual([false, false]);
});

it('a project without a run in a worker has not used up its share, even if the worker has no room for more runs', () => {
  const shares = new ResourceShares(2);
  shares.take(1, 5);
  expect([shares.free, shares.hasUsedUp(2, 1), shares.hasUsedUp(1, 1)]).toEqual([0, false, true]);
});

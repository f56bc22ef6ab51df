/** A project has used up its share of a resource once it holds this many times as much as is free. */
const MAX_TIMES_FREE = 3;

/**
 * Shares one resource of this worker (concurrent runs or memory) among projects. A project that holds three times as
 * much as is free gets no more until more is free. So a single project can borrow about three quarters of an idle
 * worker, two projects about three sevenths each, and something is always left for a project that comes later. The
 * factor of three is multiplied by the weight of the project.
 */
export class ResourceShares {
  readonly #held = new Map<number, number>();
  #taken = 0;

  constructor(readonly capacity: number) {}

  get taken(): number {
    return this.#taken;
  }

  get free(): number {
    return Math.max(0, this.capacity - this.#taken);
  }

  /**
   * Maximum size of a batch: half of what is free. All runs of a batch may belong to one project, so the other half is
   * left for other projects. If only 1 is free, the batch may take it.
   */
  get perBatch(): number {
    return this.free > 1 ? Math.floor(this.free / 2) : this.free;
  }

  take(projectId: number, amount: number): void {
    this.#held.set(projectId, this.heldBy(projectId) + amount);
    this.#taken += amount;
  }

  putBack(projectId: number, amount: number): void {
    const left = this.heldBy(projectId) - amount;
    if (left > 0) this.#held.set(projectId, left);
    else this.#held.delete(projectId);
    this.#taken -= amount;
  }

  heldBy(projectId: number): number {
    return this.#held.get(projectId) ?? 0;
  }

  /** True if the project must wait until some of the resource comes free. */
  hasUsedUp(projectId: number, weight: number): boolean {
    const held = this.heldBy(projectId);
    return held > 0 && held >= MAX_TIMES_FREE * weight * this.free;
  }

  /**
   * True if some project may have used up its share. Weights are left out: they are at least 1 and only raise the limit
   * of a project, so this may be true too early, but never too late.
   */
  get isCrowded(): boolean {
    const most = MAX_TIMES_FREE * this.free;
    // If all projects together hold less than this, so does each single project.
    if (this.#taken < most) return false;
    for (const held of this.#held.values()) if (held >= most) return true;
    return false;
  }
}

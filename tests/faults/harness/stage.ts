import type { ScheduleInput } from '@carillon/shared';
import { type Mark, takeMark } from '../checker.js';
import type { Span } from '../checks/lateness.js';
import { type Installation, PROJECTS } from './installation.js';
import type { Random } from './random.js';

/** How large a scenario makes its fault: how long it lasts, or how many schedules it concerns. */
export type Size = 'short' | 'long' | 'full';
export type Input = ScheduleInput & { id: string };
let number = 0;

/**
 * Everything that a scenario needs: an installation, random numbers, and methods that create schedules which the fault
 * can disturb.
 */
export class Stage {
  /** How many faults were injected. */
  faults = 0;
  /** The time at which the last fault ended, by the monotonic clock of this process. */
  healedAt = performance.now();
  /** The span from the first fault to the end of the last one. */
  readonly span: Span = { fromAt: Number.POSITIVE_INFINITY, untilAt: Number.POSITIVE_INFINITY };
  /** The span of time whose committed transactions Postgres has lost; null if Postgres has lost none. */
  lostTail: Span | null = null;

  private constructor(
    readonly installation: Installation,
    readonly random: Random,
    readonly size: Size,
    readonly mark: Mark,
  ) {}

  static async set(installation: Installation, random: Random, size: Size): Promise<Stage> {
    return new Stage(installation, random, size, await takeMark(installation));
  }

  /**
   * Picks one of three values by the size of the fault: short in `npm test`, long in `pnpm faults`, and full for seed 1
   * of `pnpm faults`.
   */
  scaled<T>(values: Record<Size, T>): T {
    return values[this.size];
  }

  get clients() {
    return this.installation.clients;
  }

  get receiver() {
    return this.installation.receiver;
  }

  /** Records that a fault was injected. */
  inject(count = 1): void {
    this.faults += count;
    this.span.fromAt = Math.min(this.span.fromAt, Date.now());
  }

  /** Marks the end of the fault, from which the checker measures the recovery. */
  heal(): void {
    this.healedAt = performance.now();
    this.span.untilAt = Date.now();
  }

  id(name: string): string {
    return `${name}-${this.random.seed}-${++number}`;
  }

  /** A schedule that posts to the receiver of a project. */
  webhook(project: string, rule: ScheduleInput['rule'], path = 'ok'): Input {
    const id = this.id(path.split('/')[0] ?? path);
    const url = this.receiver.url(project, `${path}/${id}`);
    return {
      id,
      rule,
      target: { type: 'webhook', url, headers: {} },
      retry: { maxAttempts: 6, baseDelay: 'PT0.3S' },
    };
  }

  inMs(ms: number): { at: string } {
    return { at: new Date(Date.now() + ms).toISOString() };
  }

  /**
   * Creates schedules in every project: rules that fire every few seconds, one-shots that are due within seconds, some
   * with slow receivers, and one-shots that are due 20 to 60 s from now.
   */
  async load({ seconds = 6, size = 20 }: { seconds?: number; size?: number } = {}): Promise<void> {
    const { random } = this;
    for (const project of PROJECTS) {
      const anyPath = () => (random.isLikely(0.2) ? `slow/${random.integer(50, 400)}` : 'ok');
      const inputs: Input[] = [
        this.webhook(project, { every: 'PT1S' }),
        this.webhook(project, { cron: '*/2 * * * * *' }, anyPath()),
        { ...this.webhook(project, { every: 'PT3S' }, 'slow/700'), overlap: 'queue' },
        { ...this.webhook(project, { every: 'PT2S' }, 'slow/600'), overlap: 'skip' },
        ...Array.from({ length: size }, () =>
          this.webhook(project, this.inMs(random.integer(200, seconds * 1_000)), anyPath()),
        ),
        ...Array.from({ length: 5 }, () =>
          this.webhook(project, this.inMs(random.integer(20_000, 60_000)), 'ok'),
        ),
        this.webhook(project, { every: 'PT5S' }),
      ];
      await this.clients[project].createMany(inputs);
    }
  }
}

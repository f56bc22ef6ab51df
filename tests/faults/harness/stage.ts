import type { ScheduleInput } from '@carillon/shared';
import { type Mark, takeMark } from '../checker.js';
import { type Installation, PROJECTS } from './installation.js';
import type { Random } from './random.js';

/** How much of a fault there is to be. */
export type Size = 'short' | 'long' | 'full';
export type Input = ScheduleInput & { id: string };
let number = 0;

/** What a scenario plays on: an installation, chance, and some life for the fault to disturb. */
export class Stage {
  /** How many things were broken. */
  faults = 0;
  /** When the last fault was over, by this process's own clock. */
  healedAt = performance.now();

  private constructor(
    readonly installation: Installation,
    readonly random: Random,
    readonly size: Size,
    readonly mark: Mark,
  ) {}

  static async set(installation: Installation, random: Random, size: Size): Promise<Stage> {
    return new Stage(installation, random, size, await takeMark(installation));
  }

  /** What a fault is measured by: a taste in the short pass, more in the long run, and there once in full. */
  scaled<T>(values: Record<Size, T>): T {
    return values[this.size];
  }

  get clients() {
    return this.installation.clients;
  }

  get receiver() {
    return this.installation.receiver;
  }

  /** Counts a fault as injected. */
  inject(count = 1): void {
    this.faults += count;
  }

  /** From here on it is up to Carillon. */
  heal(): void {
    this.healedAt = performance.now();
  }

  id(name: string): string {
    return `${name}-${this.random.seed}-${++number}`;
  }

  /** A schedule that posts to a project's receiver. */
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
   * Something going on in every project: rules that fire each second or two, instants strewn over the next seconds, slow
   * receivers, and some that come later, for which bells must be armed.
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

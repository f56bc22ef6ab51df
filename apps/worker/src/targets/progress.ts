import { type ClaimedRun, writeProgress } from '@carillon/db';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** A handler may report as often as it likes; it is written this often. */
const WRITE_EVERY_MS = 500;
const LONGEST = 16 * 1_024;

/** Carries what a handler reports to the run, the latest report at most twice a second. */
export class Progress {
  #latest: string | null = null;
  #writing: Promise<void> | null = null;
  #wake = () => {};

  constructor(
    private readonly run: ClaimedRun,
    private readonly pool: Pool,
    private readonly log: Logger,
  ) {}

  report(value: unknown): void {
    const text = JSON.stringify(value) ?? 'null';
    if (text.length > LONGEST) throw new RangeError(`progress is at most ${LONGEST} characters of JSON`);
    this.#latest = text;
    this.#writing ??= this.#write();
  }

  /** Resolves when the last report is written. */
  async finish(): Promise<void> {
    this.#wake();
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#latest !== null) {
      const text = this.#latest;
      this.#latest = null;
      // Nobody's delivery fails because its progress could not be shown.
      await writeProgress(this.pool, this.run, text).catch((error) =>
        this.log.warn({ err: error }, 'Progress could not be written'),
      );
      if (this.#latest === null) await this.#pause();
    }
    this.#writing = null;
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, WRITE_EVERY_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

import { type ClaimedRun, type Holder, isDatabaseAway, writeProgress } from '@carillon/db';
import type { Pool } from 'pg';
import type { Logger } from 'pino';

/** Minimum interval between two writes, however often a handler reports. */
const WRITE_EVERY_MS = 500;
const MAX_PROGRESS_LENGTH = 16 * 1_024;

/** Writes the progress that a handler reports to its run. Only the latest report is written, at most twice a second. */
export class Progress {
  #latest: string | null = null;
  #writing: Promise<void> | null = null;
  #wake = () => {};

  constructor(
    private readonly run: ClaimedRun,
    private readonly parts: { pool: Pool; holder: Holder; log: Logger },
  ) {}

  report(value: unknown): void {
    const text = JSON.stringify(value) ?? 'null';
    if (text.length > MAX_PROGRESS_LENGTH)
      throw new RangeError(`progress is at most ${MAX_PROGRESS_LENGTH} characters of JSON`);
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
      // A delivery does not fail because its progress could not be written.
      const { pool, holder, log } = this.parts;
      await writeProgress(pool, holder, this.run, text).catch((error) =>
        log[isDatabaseAway(error) ? 'debug' : 'warn']({ err: error }, 'Progress could not be written'),
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

import { isCanceled, isDatabaseAway } from './errors.js';

type Log = Record<'debug' | 'info' | 'warn' | 'error', (fields: object, message: string) => void>;

/** Logs each outage of Postgres as one warning at its beginning and one line at its end. */
export class PostgresWatch {
  #awaySince: number | null = null;

  constructor(
    private readonly log: Log,
    /** The part of the warning that says what does not work during an outage. */
    private readonly consequence: string,
  ) {}

  get isAway(): boolean {
    return this.#awaySince !== null;
  }

  /**
   * Logs an error. During an outage of Postgres, every statement fails again and again. So the first error logs one
   * warning that Postgres is away, and the errors themselves are logged at debug level only. A statement that Postgres
   * has cancelled because it took too long is no outage.
   */
  report(error: unknown, message: string, fields: object = {}): void {
    const details = { err: error, ...fields };
    if (!isDatabaseAway(error) || isCanceled(error)) {
      this.log.error(details, message);
      return;
    }
    if (!this.isAway) {
      this.#awaySince = performance.now();
      this.log.warn({ err: error }, `Postgres is away: ${this.consequence}`);
    }
    this.log.debug(details, message);
  }

  /** Called after a statement has succeeded, which ends an outage. */
  noteAnswer(): void {
    if (this.#awaySince === null) return;
    const awayMs = Math.round(performance.now() - this.#awaySince);
    this.#awaySince = null;
    this.log.info({ awayMs }, 'Postgres is back');
  }
}

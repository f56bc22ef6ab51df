/** The payload of a job: its number and its due time. */
export interface Job {
  n: number;
  at: number;
}

/**
 * The messages of a worker process to the benchmark: that it is ready, how many jobs it has handled so far (at an
 * interval), and the full report (when asked for it).
 */
export type Message =
  | { kind: 'ready' }
  | { kind: 'handled'; count: number }
  | { kind: 'report'; seen: Uint8Array; latenessMs: Int32Array };

/**
 * The interval between two messages with the number of jobs handled. With a longer interval, the benchmark would notice
 * the end of a race too late.
 */
const SAY_EVERY_MS = 10;

/**
 * The handler of every contender, which runs in the worker process. It only counts how often each job ran and how late.
 */
export class Tally {
  readonly #seen: Uint8Array;
  readonly #latenessMs: Int32Array;
  #handled = 0;
  #said = 0;

  constructor(size: number) {
    this.#seen = new Uint8Array(size);
    this.#latenessMs = new Int32Array(size);
    process.on('message', (question) => {
      if (question === 'report')
        this.#say({ kind: 'report', seen: this.#seen, latenessMs: this.#latenessMs });
    });
    setInterval(() => {
      if (this.#handled === this.#said) return;
      this.#said = this.#handled;
      this.#say({ kind: 'handled', count: this.#handled });
    }, SAY_EVERY_MS).unref();
  }

  readonly mark = ({ n, at }: Job): void => {
    this.#seen[n] = (this.#seen[n] ?? 0) + 1;
    this.#latenessMs[n] = Date.now() - at;
    this.#handled++;
  };

  ready(): void {
    this.#say({ kind: 'ready' });
  }

  #say(message: Message): void {
    process.send?.(message);
  }
}

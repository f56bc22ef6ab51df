import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import type { Message } from './tally.js';

export interface CrewOptions {
  /** The program of each process. */
  main: string;
  processes: number;
  env: Record<string, string>;
  /** A process is ready once its output contains this text. */
  readyWhenPrinted?: string;
}

export interface CrewReport {
  /** How often each job ran, in all processes together, by the number of the job. */
  seen: Uint8Array;
  latenessMs: Int32Array;
}

const READY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 15_000;

/** The worker processes of one contender in one round. */
export class Crew {
  readonly #members: Member[];

  private constructor(members: Member[]) {
    this.#members = members;
  }

  static async start(options: CrewOptions): Promise<Crew> {
    const members = Array.from({ length: options.processes }, (_, index) => new Member(options, index));
    const crew = new Crew(members);
    try {
      await Promise.all(members.map((member) => member.ready));
      return crew;
    } catch (error) {
      await crew.end();
      throw error;
    }
  }

  get handled(): number {
    return this.#members.reduce((sum, member) => sum + member.handled, 0);
  }

  /** The reason why a process of the crew has failed; null if none has. */
  get failure(): string | null {
    return this.#members.find((member) => member.failure)?.failure ?? null;
  }

  /** The latest output of each process. */
  get outputs(): string[] {
    return this.#members.map((member) => member.output);
  }

  tell(order: string): void {
    for (const member of this.#members) member.tell(order);
  }

  async report(): Promise<CrewReport> {
    const reports = await Promise.all(this.#members.map((member) => member.report()));
    const [first, ...others] = reports as [CrewReport, ...CrewReport[]];
    for (const { seen, latenessMs } of others) {
      seen.forEach((times, n) => {
        if (times === 0) return;
        first.seen[n] = (first.seen[n] ?? 0) + times;
        first.latenessMs[n] = latenessMs[n] ?? 0;
      });
    }
    return first;
  }

  async end(): Promise<void> {
    await Promise.all(this.#members.map((member) => member.end()));
  }
}

class Member {
  handled = 0;
  failure: string | null = null;
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  output = '';
  #isEnding = false;
  #onReport: (report: CrewReport) => void = () => {};

  constructor({ main, processes, env, readyWhenPrinted }: CrewOptions, index: number) {
    this.#child = fork(main, {
      env: {
        ...process.env,
        NODE_ENV: 'production',
        BENCH_INDEX: String(index),
        BENCH_PROCESSES: String(processes),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    this.ready = new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${basename(main)} is not ready: ${reasonIn(this.output)}`)),
        READY_WITHIN_MS,
      );
      const settled = (settle: () => void) => () => {
        clearTimeout(timer);
        settle();
      };
      const onReady = settled(resolve);
      this.#child.on('message', (message: Message) => this.#receive(message, onReady));
      const read = (chunk: Buffer) => {
        // The end of the output is enough to find the error.
        this.output = (this.output + chunk.toString()).slice(-4_000);
        if (readyWhenPrinted && this.output.includes(readyWhenPrinted)) onReady();
      };
      this.#child.stdout?.on('data', read);
      this.#child.stderr?.on('data', read);
      this.#child.once('exit', (code, signal) => {
        if (!this.#isEnding)
          this.failure = `${basename(main)} ended (${signal ?? code}): ${reasonIn(this.output)}`;
        settled(() => reject(new Error(this.failure ?? 'ended')))();
      });
    });
    // `ready` may reject before a caller waits for it. Without this handler, the rejection would end the benchmark.
    this.ready.catch(() => {});
  }

  tell(order: string): void {
    this.#child.send(order);
  }

  report(): Promise<CrewReport> {
    return new Promise((resolve) => {
      this.#onReport = resolve;
      this.tell('report');
    });
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS);
    await exited;
    clearTimeout(timer);
  }

  #receive(message: Message, onReady: () => void): void {
    if (message.kind === 'ready') onReady();
    else if (message.kind === 'handled') this.handled = message.count;
    else this.#onReport(message);
  }
}

/** Returns the line of a process's output that most likely names the error, followed by the whole output. */
function reasonIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const reason = lines.find((line) => /^\w*error\b/i.test(line)) ?? lines.at(-1) ?? 'it printed nothing';
  return `${reason}\n${output}`;
}

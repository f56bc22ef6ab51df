import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@carillon/testkit';
import { hasOutput } from './compare-output.js';

/** Commands that change nothing. If their output is not the expected one, they are repeated for a while. */
const ONLY_READS = /^(?:npx )?carillon (?:why|runs (?:ls|show)|schedules (?:ls|show)|workers)\b/;
const OUTPUT_TIMEOUT_MS = 30_000;

/** Stands for the terminal of a reader: one shell that runs all commands of a guide, one after the other. */
export class PageShell {
  readonly #shell: ChildProcess;
  #output = '';
  #count = 0;

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    // The shell gets a process group of its own, so that the programs that it starts can be stopped together with it.
    this.#shell = spawn('sh', ['-eu'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
  }

  /**
   * Runs commands and waits until they have printed the output that the guide shows. A program in the background may
   * print it after the commands have ended.
   */
  async run(commands: string, expected: string | null): Promise<void> {
    const from = this.#output.length;
    await this.#enter(commands);
    if (expected === null) return;
    const isRepeatable = commands
      .trim()
      .split('\n')
      .every((line) => ONLY_READS.test(line));
    const startedAt = performance.now();
    await eventually(
      async () => {
        if (hasOutput(this.#output.slice(from), expected)) return true;
        if (performance.now() - startedAt > OUTPUT_TIMEOUT_MS)
          throw new Error(`expected this output:\n${expected}\nbut got:\n${this.#output.slice(from)}`);
        if (isRepeatable) await this.#enter(commands);
        return false;
      },
      { everyMs: 200, withinMs: 2 * OUTPUT_TIMEOUT_MS },
    );
  }

  /** Stops the shell and every program that it started. */
  async end(): Promise<void> {
    if (!this.#isRunning) return;
    const exited = once(this.#shell, 'exit');
    try {
      process.kill(-(this.#shell.pid as number), 'SIGKILL');
    } catch {}
    await exited;
  }

  get #isRunning(): boolean {
    return this.#shell.exitCode === null && this.#shell.signalCode === null;
  }

  async #enter(commands: string): Promise<void> {
    const mark = `end-of-block-${++this.#count}`;
    // The shell reads its commands from standard input, so a program that also read from there would take them away.
    this.#shell.stdin?.write(`{\n${commands}\n} </dev/null\necho ${mark}\n`);
    await eventually(
      () => {
        if (this.#output.includes(`${mark}\n`)) return true;
        if (!this.#isRunning)
          throw new Error(`the commands failed:\n${commands}\n${this.#output.slice(-4_000)}`);
        return false;
      },
      { everyMs: 20, withinMs: 2 * OUTPUT_TIMEOUT_MS, what: `the end of:\n${commands}\n` },
    );
    this.#output = this.#output.replace(`${mark}\n`, '');
  }
}

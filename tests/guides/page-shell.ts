import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '@carillon/testkit';
import { hasOutput } from './compare-output.js';

/** Commands that only read. They are repeated until their output is the expected one. */
const ONLY_READS = /^(?:npx )?carillon (?:why|runs (?:ls|show)|schedules (?:ls|show)|workers)\b/;
const PATIENCE_MS = 30_000;

/** The terminal of a reader: one shell in which all commands of a page run, one after the other. */
export class PageShell {
  readonly #shell: ChildProcess;
  #output = '';
  #count = 0;

  constructor(folder: string, env: Readonly<Record<string, string>>) {
    // The shell leads a process group of its own, so that the programs which it left running can be stopped with it.
    this.#shell = spawn('sh', ['-eu'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#output += chunk.toString();
      });
  }

  /** Runs commands and waits for the output that the page shows. Programs in the background may print it later. */
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
        if (performance.now() - startedAt > PATIENCE_MS)
          throw new Error(`expected this output:\n${expected}\nbut got:\n${this.#output.slice(from)}`);
        if (isRepeatable) await this.#enter(commands);
        return false;
      },
      { everyMs: 200, withinMs: 2 * PATIENCE_MS },
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
    // The shell reads its own commands from standard input, so no program may read from there.
    this.#shell.stdin?.write(`{\n${commands}\n} </dev/null\necho ${mark}\n`);
    await eventually(
      () => {
        if (this.#output.includes(`${mark}\n`)) return true;
        if (!this.#isRunning)
          throw new Error(`the commands failed:\n${commands}\n${this.#output.slice(-4_000)}`);
        return false;
      },
      { everyMs: 20, withinMs: 2 * PATIENCE_MS, what: `the end of:\n${commands}\n` },
    );
    this.#output = this.#output.replace(`${mark}\n`, '');
  }
}

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { HandlerRun } from '../../define.js';
import { PayloadRefused } from '../../payload-schema.js';
import type { FromHandlerProcess, IsolatedRun, ToHandlerProcess } from './messages.js';

/**
 * How long a run may go on after its signal was aborted. Then the process is killed, because a handler that blocks the
 * event loop never sees the signal.
 */
const ABORT_DEADLINE_MS = 5_000;
/** When tests run this file as TypeScript, there is no `main.js` beside it, so the built one is used. */
const MAIN = import.meta.url.endsWith('.ts') ? '../../../dist/delivery/isolation/main.js' : './main.js';

interface OpenRun {
  progress: HandlerRun['progress'];
  end(error: Error | null, result: string | null): void;
}

/** Thrown if the process of the handler ended during the run: the handler exited, crashed or was killed. */
export class HandlerCrashed extends Error {}

/** The process of one isolated handler. It starts with the first run. If it has ended, the next run starts it again. */
export class HandlerProcess {
  #child: ChildProcess | null = null;
  #open = new Map<number, OpenRun>();
  #number = 0;

  constructor(
    private readonly name: string,
    private readonly log: Logger,
  ) {}

  /**
   * Resolves with the result to store. Rejects with the error of the handler, or with `HandlerCrashed` if the process
   * ends before the handler does.
   */
  run(run: IsolatedRun): Promise<string | null> {
    const child = this.#child ?? this.#start();
    const id = this.#number++;
    const { runId, projectId, scheduleId, occurrenceAt, attempt, payload, signal, progress, logFields } = run;
    return new Promise((resolve, reject) => {
      const onAbort = () => this.#abort(child, id, String(signal.reason));
      this.#open.set(id, {
        progress,
        end: (error, result) => {
          this.#open.delete(id);
          signal.removeEventListener('abort', onAbort);
          if (error) reject(error);
          else resolve(result);
        },
      });
      const sent = { runId, projectId, scheduleId, occurrenceAt, attempt, payload };
      send(child, { kind: 'run', id, run: sent, logFields });
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  }

  stop(): void {
    this.#child?.kill('SIGKILL');
  }

  #start(): ChildProcess {
    const child = fork(fileURLToPath(new URL(MAIN, import.meta.url)), [this.name], {
      serialization: 'advanced',
    });
    this.#child = child;
    child.on('message', (message: FromHandlerProcess) => this.#receive(message));
    // If the process could not be started, Node emits `error` and no `exit`.
    child.once('error', (error) => this.#ended(child, error.message));
    child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`));
    return child;
  }

  #receive(message: FromHandlerProcess): void {
    const run = this.#open.get(message.id);
    if (message.kind === 'progress') run?.progress(message.value);
    else if (message.error === null) run?.end(null, message.result);
    else
      run?.end(message.isPayloadRefused ? new PayloadRefused(message.error) : new Error(message.error), null);
  }

  #ended(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = null;
    const runs = [...this.#open.values()];
    if (runs.length > 0)
      this.log.error(
        { handler: this.name, how, runs: runs.length },
        'The process of an isolated handler ended',
      );
    for (const run of runs)
      run.end(new HandlerCrashed(`the process of the handler ${this.name} ended: ${how}`), null);
  }

  /** Aborts a run. If the run does not end in time, the process is killed. */
  #abort(child: ChildProcess, id: number, reason: string): void {
    send(child, { kind: 'abort', id, reason });
    setTimeout(() => {
      if (this.#child === child && this.#open.has(id)) child.kill('SIGKILL');
    }, ABORT_DEADLINE_MS).unref();
  }
}

/** Sends a message. The error of a process that has just ended is ignored, because its `exit` event ends the run. */
function send(child: ChildProcess, message: ToHandlerProcess): void {
  child.send(message, () => {});
}

import { createWriteStream, renameSync, statSync, type WriteStream } from 'node:fs';

const MAX_BYTES = 10 * 1024 * 1024;

/** A log file with rotation: when it is full, it is renamed to `<name>.1` and a new file begins. */
export class LogFile {
  private stream: WriteStream;
  private size: number;

  constructor(private readonly path: string) {
    this.size = sizeOf(path);
    this.stream = this.open();
  }

  add(line: string): void {
    if (this.size > MAX_BYTES) this.rotate();
    this.size += Buffer.byteLength(line) + 1;
    this.stream.write(`${line}\n`);
  }

  close(): void {
    this.stream.end();
  }

  private rotate(): void {
    this.stream.end();
    // The old stream keeps its file open, so its pending lines still reach the renamed file.
    renameSync(this.path, `${this.path}.1`);
    this.size = 0;
    this.stream = this.open();
  }

  private open(): WriteStream {
    const stream = createWriteStream(this.path, { flags: 'a', mode: 0o600 });
    // A full disk must not stop the service.
    stream.on('error', () => undefined);
    return stream;
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}

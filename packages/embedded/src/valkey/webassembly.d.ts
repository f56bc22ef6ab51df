/**
 * The part of WebAssembly's types that is used here. TypeScript has them only in its browser types, and @types/node 20
 * does not have them.
 */
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

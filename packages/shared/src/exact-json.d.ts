/**
 * JSON that keeps integers beyond 2^53. `JSON.parse` rounds them. Here they become a BigInt, and are written unchanged.
 * A text without 16 digits in a row holds no such integer, and is parsed as usual.
 */
/** Parses JSON. Integers that a number can't hold exactly become a BigInt. */
export declare function parseExactly(text: string): unknown;
export interface MarkedJson {
    /** The JSON text in which each big integer is a string that begins with the mark. */
    text: string;
    mark: string;
}
/** Marks the big integers of a JSON text, for a caller that parses it in its own way. Null if the text holds none. */
export declare function markBigIntegers(text: string): MarkedJson | null;
/** Turns marked strings into BigInts, in place. */
export declare function reviveBigIntegers(value: unknown, mark: string): unknown;
/** Writes JSON. A BigInt becomes an integer. */
export declare function writeExactly(value: unknown): string;

/**
 * Returns why a JSON value can't be stored, or null. Postgres accepts neither NUL nor half of a surrogate pair in
 * texts, and a value that is nested too deeply overflows the stack of recursive functions.
 */
export declare function unstorable(value: unknown, path?: string, depth?: number): {
    field: string;
    message: string;
} | null;

export declare const isSetTag: (tag: string) => boolean;
export declare const setTag: (name: string) => string;
/** The set that a schedule belongs to; null if it belongs to none. */
export declare function setOf(tags: readonly string[]): string | null;

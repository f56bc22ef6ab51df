/**
 * Makes an id of a name: `cron-backup`, and `cron-backup-2` if that one is taken. The same names in the same order give
 * the same ids, so that a repeated import finds its schedules again. Adds the id to `taken`.
 */
export declare function unusedId(name: string, taken: Set<string>): string;

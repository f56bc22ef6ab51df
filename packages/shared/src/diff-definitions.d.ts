export interface FieldChange {
    field: string;
    before: unknown;
    after: unknown;
}
/**
 * Lists the fields in which two definitions differ, such as `retry.maxAttempts`. Both definitions have every default
 * filled in.
 */
export declare function diffDefinitions(before: object, after: object): FieldChange[];

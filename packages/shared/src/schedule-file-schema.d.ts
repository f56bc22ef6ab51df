/** The JSON schema of a schedule file, for editors and for checks before a commit. Generated from the contract of the API. */
export declare function scheduleFileSchema(): object;

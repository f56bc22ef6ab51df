/** One seed is the short pass; `pnpm faults` asks for more, and for the figures. */
export const SEEDS = (process.env.FAULT_SEEDS ?? '1').split(',').map(Number);
export const IS_LONG = process.env.FAULT_RESULTS !== undefined;
/** Where each result goes, a line of JSON each. */
export const RESULTS_FILE = process.env.FAULT_RESULTS;
/** Only these scenarios, by number. */
export const ONLY = process.env.FAULT_ONLY?.split(',').map(Number);

/** The seeds to play. `npm test` plays one; `pnpm faults` sets more, and asks for the figures. */
export const SEEDS = (process.env.FAULT_SEEDS ?? '1').split(',').map(Number);
export const IS_LONG = process.env.FAULT_RESULTS !== undefined;
/** The file to which each result is appended as a line of JSON. */
export const RESULTS_FILE = process.env.FAULT_RESULTS;
/** The numbers of the scenarios to play; all of them if it is not set. */
const ONLY = process.env.FAULT_ONLY?.split(',').map(Number);
export const isChosen = (scenario: number): boolean => ONLY?.includes(scenario) ?? true;

/** How many random histories the simulation plays; `pnpm faults` asks for more. */
export const SIMULATION_RUNS = Number(process.env.SIMULATION_RUNS ?? 25);

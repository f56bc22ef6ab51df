/**
 * The random seeds with which each scenario is run. `npm test` uses one; `pnpm faults` uses more, and collects the
 * figures.
 */
export const SEEDS = (process.env.FAULT_SEEDS ?? '1').split(',').map(Number);
export const IS_LONG = process.env.FAULT_RESULTS !== undefined;
/** The file to which the result of each scenario is appended as a line of JSON. */
export const RESULTS_FILE = process.env.FAULT_RESULTS;
/** The numbers of the scenarios to run. Default: all. */
const ONLY = process.env.FAULT_ONLY?.split(',').map(Number);
export const isChosen = (scenario: number): boolean => ONLY?.includes(scenario) ?? true;

/** The number of random histories to simulate. `pnpm faults` sets more. */
export const SIMULATION_RUNS = Number(process.env.SIMULATION_RUNS ?? 15);

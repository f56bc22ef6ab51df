// Property tests draw the same values in every run, so that a failure is always about the change at hand.
// `PROPERTY_SEED=random` draws new ones, as `pnpm faults` does; a number repeats the run that printed it.
import fc from 'fast-check';

const DEFAULT_SEED = 20_261_118;
const { PROPERTY_SEED } = process.env;

if (PROPERTY_SEED !== 'random')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(PROPERTY_SEED ?? DEFAULT_SEED) });

// Property tests draw the same values in every run, so that a failure comes from the change under test and not from new
// values. `PROPERTY_SEED=random` draws new values, as `pnpm faults` does. To repeat a failed run, set `PROPERTY_SEED`
// to the seed that fast-check printed.
import fc from 'fast-check';

const DEFAULT_SEED = 20_261_118;
const { PROPERTY_SEED } = process.env;

if (PROPERTY_SEED !== 'random')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(PROPERTY_SEED ?? DEFAULT_SEED) });

import { group } from '../command.js';
import { importing } from './import-crontab.js';
import { keys } from './keys.js';
import { audit, forecast, system, workers } from './operations.js';
import { rules } from './rules.js';
import { runs } from './runs.js';
import { schedules } from './schedules.js';
import { tail } from './tail.js';
import { why } from './why.js';

/** The table of contents: every command. */
export const carillonCommand = group({
  name: 'carillon',
  summary: 'Do this then: schedules that are kept',
  details:
    'Speaks to the Carillon that CARILLON_URL and CARILLON_KEY name, or to the one that `npm start` runs in this folder.',
  commands: [schedules, runs, why, tail, rules, forecast, importing, keys, workers, system, audit],
  examples: [
    'carillon schedules create --id hello --in 2s --target handler:log',
    'carillon why hello',
    'carillon rules preview "0 9 * * 1-5" --tz Asia/Tokyo',
  ],
});

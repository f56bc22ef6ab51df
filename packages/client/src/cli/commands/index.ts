import { type Group, group } from '../command.js';
import { alerts, channels } from './alerts.js';
import { apply } from './apply-files.js';
import { calendars } from './calendars.js';
import { check } from './check.js';
import { completion } from './completion.js';
import { exportFiles } from './export-files.js';
import { feeds } from './feeds.js';
import { importing } from './importing.js';
import { keys } from './keys.js';
import { audit, forecast, me, stats, system, workers } from './operations.js';
import { plan } from './plan-files.js';
import { projects } from './projects.js';
import { reminders } from './reminders.js';
import { rules } from './rules.js';
import { runs } from './runs.js';
import { schedules } from './schedules.js';
import { schema } from './schema.js';
import { secret } from './secret.js';
import { simulate } from './simulate.js';
import { tail } from './tail.js';
import { tasks } from './tasks.js';
import { templates } from './templates.js';
import { users } from './users.js';
import { why } from './why.js';

/** The tree of all commands. */
export const carillonCommand: Group = group({
  name: 'carillon',
  summary: 'Manage schedules and runs of a Carillon installation',
  details:
    'Connects to the API at CARILLON_URL with the key CARILLON_KEY, or to the API that `npm start` runs in this folder.',
  commands: [
    schedules,
    runs,
    plan,
    apply,
    exportFiles,
    importing,
    schema,
    why,
    tail,
    rules,
    stats,
    forecast,
    alerts,
    channels,
    simulate,
    calendars,
    feeds,
    templates,
    users,
    reminders,
    tasks,
    projects,
    keys,
    secret,
    me,
    workers,
    system,
    audit,
    check,
    completion(() => carillonCommand),
  ],
  examples: [
    'carillon schedules create --id hello --in 2s --target handler:log',
    'carillon why hello',
    'carillon rules preview "0 9 * * 1-5" --tz Asia/Tokyo',
  ],
});

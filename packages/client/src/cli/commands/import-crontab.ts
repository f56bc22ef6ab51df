import type { Imported } from '../importers/collect-drafts.js';
import { readText } from '../schedule-options.js';
import { importCommand } from './import-command.js';

export const crontab = importCommand({
  name: 'crontab',
  summary: 'Create a schedule for each line of a crontab',
  details: `The command is not executed here. It is delivered to the target as \`payload.command\`. Importing the same file again changes
nothing. CRON_TZ is honoured; other variables are passed in the payload. @reboot and invalid lines are reported.`,
  usage: '<file>',
  words: { least: 1, most: 1 },
  options: {
    tz: { type: 'string', value: '<zone>', about: 'time zone of the crontab (default UTC)' },
    system: { type: 'boolean', about: 'a system crontab, with a user before each command' },
  },
  examples: [
    'crontab -l | carillon import crontab - --dry-run --tz Europe/Berlin',
    'carillon import crontab /etc/crontab --system --target queue:commands',
  ],
  async read([path = ''], { tz, system = false }): Promise<Imported> {
    const { parseCrontab } = await import('@carillon/shared');
    const { entries, problems } = parseCrontab(readText(path), {
      ...(tz === undefined ? {} : { timezone: tz }),
      hasUsers: system,
    });
    return {
      drafts: entries.map(({ line, schedule, warnings }) => ({
        source: `line ${line}`,
        job: schedule.id,
        // An entry of a crontab has neither a target nor redacted fields, so the types of request and contract agree.
        schedule: schedule as Imported['drafts'][number]['schedule'],
        remarks: warnings,
      })),
      refusals: problems.map(({ line, text, message }) => ({
        source: `line ${line}`,
        rule: text,
        reason: message,
      })),
    };
  },
});

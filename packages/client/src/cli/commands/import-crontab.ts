import type { ImportResult } from '../importers/collect-drafts.js';
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
  async read([path = ''], { tz, system = false }): Promise<ImportResult> {
    const { parseCrontab } = await import('@carillon/shared');
    const { entries, problems } = parseCrontab(readText(path), {
      ...(tz === undefined ? {} : { timezone: tz }),
      hasUsers: system,
    });
    return {
      drafts: entries.map(({ line, schedule, warnings }) => ({
        source: `line ${line}`,
        job: schedule.id,
        // The cast is safe: the contract's type and the client's type of a schedule differ only in fields that an entry
        // of a crontab does not have.
        schedule: schedule as ImportResult['drafts'][number]['schedule'],
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

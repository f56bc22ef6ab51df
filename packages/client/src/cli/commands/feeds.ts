import type { Feed } from '../../types/feed.js';
import { command, group, type Output } from '../command.js';
import { deleteCommand, listCommand } from '../resource-commands.js';
import { shortTime } from '../times.js';

const create = command({
  name: 'create',
  summary: 'Create an iCal feed; its address is shown only once',
  details: 'The feed shows all schedules of the project unless a schedule or a tag is given.',
  usage: '<name>',
  words: { least: 1, most: 1 },
  options: {
    schedule: { type: 'string', value: '<id>', about: 'show only this schedule' },
    tag: { type: 'string', value: '<tag>', about: 'show only schedules with this tag' },
  },
  examples: ['carillon feeds create "Billing on my phone" --tag billing'],
  async run({ positionals: [name = ''], values: { schedule, tag }, client }): Promise<Output> {
    const feed = await client.feeds.create({ name, schedule, tag });
    const notes = ['The address reads the feed without a key. It is shown only once.'];
    return { json: feed, text: feed.url, notes };
  },
});

export const feeds = group({
  name: 'feeds',
  summary: 'Manage iCal feeds of coming occurrences and past outcomes',
  commands: [
    listCommand<Feed>('feeds', {
      titles: ['ID', 'NAME', 'SHOWS', 'LAST USED'],
      row: ({ id, name, schedule, tag, lastUsedAt }) => [
        String(id),
        name,
        schedule ?? (tag === null ? 'all schedules' : `tag ${tag}`),
        lastUsedAt === null ? 'never' : shortTime(lastUsedAt),
      ],
      list: (client, query) => client.feeds.list(query),
    }),
    create,
    deleteCommand('feeds', {
      argument: '<id>',
      example: '7',
      summary: 'Revoke feeds',
      remove: (client, id) => client.feeds.revoke(Number(id)),
    }),
  ],
  examples: ['carillon feeds ls', 'carillon feeds create "All jobs"'],
});

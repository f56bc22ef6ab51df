import { command, type Output } from '../command.js';
import { table } from '../table.js';
import { shortTime } from '../times.js';

export const heartbeat = command({
  name: 'heartbeat',
  summary: 'Show the ping URL of a schedule and its latest pings',
  usage: '<id>',
  words: { least: 1, most: 1 },
  options: { rotate: { type: 'boolean', about: 'make new URLs; the old ones stop working at once' } },
  examples: [
    'carillon schedules heartbeat backup',
    'curl "$(carillon schedules heartbeat backup --json | jq -r .url)"',
  ],
  async run({ values, positionals: [id = ''], client, terminal }): Promise<Output> {
    const heartbeat = values.rotate
      ? await client.schedules.rotateHeartbeat(id)
      : await client.schedules.heartbeat(id);
    const rows = heartbeat.pings.map(({ at, kind, body }) => [shortTime(at), kind, body ?? '']);
    const pings = rows.length === 0 ? 'No pings yet.' : table(['AT', 'KIND', 'BODY'], rows, terminal);
    return { json: heartbeat, text: `${heartbeat.url}\n\n${pings}` };
  },
});

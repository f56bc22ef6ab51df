import { command, type Output } from '../command.js';

export const schema = command({
  name: 'schema',
  summary: 'Print the JSON schema of files of schedules',
  details: 'Editors check and complete a file that names its schema. Needs no API.',
  usage: '',
  words: { least: 0, most: 0 },
  options: {},
  examples: ['carillon schema'],
  async run(): Promise<Output> {
    const { scheduleFileSchema } = await import('@carillon/shared');
    const json = scheduleFileSchema();
    return { json, text: JSON.stringify(json, null, 2) };
  },
});

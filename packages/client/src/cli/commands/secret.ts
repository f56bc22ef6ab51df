import { command, group, type Output } from '../command.js';

const OPTIONS = {
  project: { type: 'string', value: '<id>', about: 'the project (default: default)' },
} as const;

const show = command({
  name: 'show',
  summary: 'Show the secret that verifies the signature of webhooks',
  usage: '',
  words: { least: 0, most: 0 },
  options: OPTIONS,
  examples: ['carillon secret show', 'carillon secret show --project billing'],
  async run({ values, client }): Promise<Output> {
    const projectSecret = await client.projects.secret(values.project ?? 'default');
    return { json: projectSecret, text: projectSecret.secret };
  },
});

const rotate = command({
  name: 'rotate',
  summary: 'Replace the secret; webhooks are signed with both for a day',
  usage: '',
  words: { least: 0, most: 0 },
  options: OPTIONS,
  examples: ['carillon secret rotate --project billing'],
  async run({ values, client }): Promise<Output> {
    const made = await client.projects.rotateSecret(values.project ?? 'default');
    const note = 'Webhooks are signed with this secret and with the one before for 24 hours.';
    return { json: made, text: made.secret, notes: [note] };
  },
});

export const secret = group({
  name: 'secret',
  summary: 'Show and rotate the secret that signs webhooks',
  commands: [show, rotate],
  examples: ['carillon secret show'],
});

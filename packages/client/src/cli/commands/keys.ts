import type { Key, Scope } from '../../types/tenancy.js';
import { type Command, command, group, type Output } from '../command.js';
import { eachId } from '../each-id.js';
import { listCommand } from '../resource-commands.js';
import { lookOf } from '../terminal.js';
import { readOptionalTime, shortTime } from '../times.js';
import { UsageError } from '../usage-error.js';

const rowOf = (key: Key) => {
  const status = key.revokedAt === null ? 'active' : 'revoked';
  return [
    String(key.id),
    { text: status, look: lookOf(status === 'active' ? status : 'cancelled') },
    key.prefix,
    key.scopes.join(','),
    shortTime(key.lastUsedAt),
    shortTime(key.expiresAt),
    key.name,
  ];
};

const ls: Command = {
  ...listCommand<Key>('keys', {
    titles: ['ID', 'STATUS', 'PREFIX', 'SCOPES', 'LAST USED', 'EXPIRES', 'NAME'],
    row: rowOf,
    list: (client, query) => client.keys.list(query),
  }),
  summary: 'List the keys of the project, newest first',
};

const create = command({
  name: 'create',
  summary: 'Create a key; it is shown only once',
  usage: '<name>',
  words: { least: 1, most: 1 },
  options: {
    scope: {
      type: 'string',
      value: '<scope>',
      multiple: true,
      about: 'read, write or admin (default: read and write)',
    },
    expires: { type: 'string', value: '<time>', about: 'expiry time, such as +90d' },
    project: { type: 'string', value: '<id>', about: 'create the key for another project' },
  },
  examples: [
    'carillon keys create ci --scope write --expires +90d',
    'export CARILLON_KEY=$(carillon keys create ci --json | jq -r .key)',
  ],
  async run({ values, positionals, client }): Promise<Output> {
    const made = await client.keys.create({
      name: positionals[0] ?? '',
      scopes: (values.scope ?? ['read', 'write']) as Scope[],
      expiresAt: readOptionalTime(values.expires, Date.now()),
      project: values.project,
    });
    return {
      json: made,
      text: made.key,
      notes: [`Key ${made.id}, ${made.scopes.join(' and ')}. It is not shown again.`],
    };
  },
});

const revoke = command({
  name: 'revoke',
  summary: 'Revoke keys; takes effect on every replica within a second',
  usage: '<id>…',
  words: { least: 1, most: 1_000 },
  options: {},
  examples: ['carillon keys revoke 7'],
  run: ({ positionals, client }) => {
    const wrong = positionals.find((id) => !/^\d+$/.test(id));
    if (wrong !== undefined)
      throw new UsageError(`${wrong} is not the id of a key; \`carillon keys ls\` shows them`);
    return eachId(
      positionals,
      (id) => client.keys.revoke(Number(id)),
      ({ id, name }) => `${id} (${name}) is revoked`,
    );
  },
});

export const keys = group({
  name: 'keys',
  summary: 'Create, list and revoke API keys',
  commands: [ls, create, revoke],
  examples: ['carillon keys ls', 'carillon keys create ci --scope write'],
});

import type { ChannelSettings, ChannelView, SecretBox } from '@carillon/db';
import {
  type AlertChannelInput,
  type AlertChannelPatch,
  type ChannelType,
  hostProblem,
  type Problem,
} from '@carillon/shared';
import { HttpProblem, invalid } from './http/problem.js';

interface Vault {
  secrets: SecretBox | null;
  projectId: number;
  allowPrivate: boolean;
}

/** For each type of channel, the settings that the API shows and those that are stored encrypted. */
const FIELDS: Record<ChannelType, { shown: readonly string[]; sealed: readonly string[] }> = {
  webhook: { shown: ['url'], sealed: ['secret'] },
  // The URL of a chat webhook is a secret, because it is enough to post to the room.
  slack: { shown: [], sealed: ['url'] },
  email: { shown: ['to'], sealed: [] },
  pagerduty: { shown: ['url'], sealed: ['routingKey'] },
};

type Fields = Record<string, unknown>;

/** Turns a request for an alert channel into the row that is stored. */
export function settingsOf({ id, type, enabled = true, ...fields }: AlertChannelInput, vault: Vault) {
  return toRow({ key: id, type, isEnabled: enabled }, fields, vault);
}

/** Merges a patch into an alert channel. Fields that the patch leaves out stay as they are. */
export function mergeChannel(
  channel: ChannelView,
  { enabled = channel.isEnabled, ...patch }: AlertChannelPatch,
  vault: Vault,
): ChannelSettings {
  const { key, type } = channel;
  const { shown, sealed } = FIELDS[type];
  const foreign = Object.keys(patch).find((field) => ![...shown, ...sealed].includes(field));
  if (foreign) throw invalid([{ field: foreign, message: `is not a setting of a channel of type ${type}` }]);
  const stored =
    channel.sealed === null ? {} : JSON.parse(needKey(vault).open(channel.sealed, vault.projectId));
  const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  return toRow({ key, type, isEnabled: enabled }, { ...channel.settings, ...stored, ...given }, vault);
}

function toRow(
  channel: Pick<ChannelSettings, 'key' | 'type' | 'isEnabled'>,
  fields: Fields,
  vault: Vault,
): ChannelSettings {
  const problem = urlProblemOf(fields, vault.allowPrivate);
  if (problem) throw invalid([problem]);
  const { shown, sealed } = FIELDS[channel.type];
  const pick = (names: readonly string[]): Fields =>
    Object.fromEntries(
      Object.entries(fields).filter(([name, value]) => names.includes(name) && value != null),
    );
  const secret = pick(sealed);
  const isEmpty = Object.keys(secret).length === 0;
  return {
    ...channel,
    settings: pick(shown),
    sealed: isEmpty ? null : needKey(vault).seal(JSON.stringify(secret), vault.projectId),
  };
}

function urlProblemOf({ url }: Fields, allowPrivate: boolean): Problem | null {
  const message = typeof url === 'string' ? hostProblem(url, { allowPrivate }) : null;
  return message === null ? null : { field: 'url', message };
}

function needKey({ secrets }: Vault): SecretBox {
  if (secrets) return secrets;
  throw new HttpProblem(
    'encryption_key_missing',
    'the secrets of a channel cannot be stored: CARILLON_ENCRYPTION_KEY is not set',
  );
}

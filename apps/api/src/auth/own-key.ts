import { type KeyOwner, readDefaultProject } from '@carillon/db';
import { DEFAULT_PROJECT } from '@carillon/shared';
import { cachedFor } from '@carillon/telemetry';
import type { Pool } from 'pg';

/** Cache TTL of the owner of this process's own key, the same as for any other API key. */
const OWN_KEY_CACHE_TTL_MS = 900;
/** The actor that the audit log names for changes with this process's own key. */
const OWN_KEY_NAME = 'library';

/**
 * In library mode, opens the key with which the process calls its own API. The key has the scope admin in the default
 * project, and exists in memory only.
 */
export function openOwnKey(pool: Pool, key: string): { key: string; owner: () => Promise<KeyOwner> } {
  const owner = async (): Promise<KeyOwner> => {
    const { id, defaultTarget, limits } = await readDefaultProject(pool);
    return {
      keyId: 0,
      keyName: OWN_KEY_NAME,
      projectId: id,
      projectKey: DEFAULT_PROJECT,
      scopes: ['admin'],
      defaultTarget,
      limits,
    };
  };
  return { key, owner: cachedFor(OWN_KEY_CACHE_TTL_MS, owner) };
}

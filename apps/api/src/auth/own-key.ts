import { type KeyOwner, readDefaultProject } from '@carillon/db';
import { DEFAULT_PROJECT } from '@carillon/shared';
import { cachedFor } from '@carillon/telemetry';
import type { Pool } from 'pg';

/** How long the key of the process itself may miss a change of its project's settings: as long as any other key. */
const OWN_KEY_CACHE_TTL_MS = 900;
/** The name under which changes by the process itself stand in the audit log. */
const OWN_KEY_NAME = 'library';

/** The key with which the process itself calls its API: an admin of the default project, stored nowhere. */
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

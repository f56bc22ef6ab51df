import { readScheduleSecrets, type SecretBox } from '@carillon/db';
import type { Pool } from 'pg';
import { openSecrets, type ProjectSettings } from './project-settings.js';

interface Signed {
  projectId: number;
  scheduleId: number;
}

/** Finds what a delivery is signed with: the schedule's own secret, or else its project's. */
export class Secrets {
  #asked: Set<number> = new Set();
  #reading: Promise<Map<number, Buffer[]>> | null = null;

  constructor(
    private readonly pool: Pool,
    private readonly box: SecretBox | null,
    private readonly settings: ProjectSettings,
  ) {}

  async of({ projectId, scheduleId }: Signed, hasOwn: boolean): Promise<string[]> {
    const own = hasOwn ? ((await this.#read(scheduleId)).get(scheduleId) ?? []) : [];
    return own.length > 0 ? openSecrets(this.box, projectId, own) : this.settings.secretsOf(projectId);
  }

  /** Whoever asks in the same turn of the event loop, usually a whole claim, is answered by one statement. */
  #read(scheduleId: number): Promise<Map<number, Buffer[]>> {
    this.#asked.add(scheduleId);
    this.#reading ??= new Promise((resolve) => setImmediate(resolve)).then(() => {
      const asked = [...this.#asked];
      this.#asked = new Set();
      this.#reading = null;
      return readScheduleSecrets(this.pool, asked);
    });
    return this.#reading;
  }
}

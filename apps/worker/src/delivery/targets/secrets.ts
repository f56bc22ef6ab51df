import { readScheduleSecrets, type SecretBox } from '@carillon/db';
import type { Pool } from 'pg';
import { openSecrets, type ProjectSettings } from '../traffic/project-settings.js';

interface Signed {
  projectId: number;
  scheduleId: number;
}

/** Finds the secrets that sign a delivery: the schedule's own, or else its project's. */
export class DeliverySecrets {
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

  /** Decrypts the headers of a target, just before they are sent. */
  headersOf(projectId: number, headers: Readonly<Record<string, string>>): Record<string, string> {
    const open = (value: string) => (this.box ? this.box.openText(value, projectId) : value);
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, open(value)]));
  }

  /**
   * Reads the secrets of a schedule. Calls in the same turn of the event loop, usually for a whole claim, share one
   * statement.
   */
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

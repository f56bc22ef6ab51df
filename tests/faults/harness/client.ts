import type { ScheduleInput } from '@carillon/shared';
import { eventually } from '@carillon/testkit';

/** A change that the API has acknowledged. It must not be lost, whatever fault follows. */
export type Acknowledged =
  | { what: 'created'; id: string }
  | { what: 'cancelled'; id: string }
  | { what: 'edited'; id: string; version: number };

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: scenarios look at single fields of the response.
  body: any;
  /** The maximum number of requests per minute with this key, as the response reports it. */
  limit: number;
}

/** A client of the API with one key. It records which of its changes were acknowledged. */
export class Client {
  readonly acknowledged: Acknowledged[] = [];

  constructor(
    private readonly url: () => string,
    readonly project: string,
    private readonly key: string,
  ) {}

  async ask(method: string, path: string, body?: unknown, headers: object = {}): Promise<Answered> {
    const response = await fetch(`${this.url()}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const limit = Number(response.headers.get('ratelimit-limit'));
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text, limit };
  }

  async create(input: ScheduleInput & { id: string }, headers: object = {}): Promise<Answered> {
    const answer = await this.ask('POST', '/v1/schedules', input, headers);
    if (answer.status < 300) this.acknowledged.push({ what: 'created', id: input.id });
    return answer;
  }

  async createMany(items: (ScheduleInput & { id: string })[]): Promise<void> {
    const answer = await this.ask('POST', '/v1/schedules/bulk', { items });
    if (answer.status !== 200 || answer.body.refused > 0) {
      throw new Error(`bulk was refused: ${answer.status} ${JSON.stringify(answer.body).slice(0, 500)}`);
    }
    this.acknowledged.push(...items.map(({ id }) => ({ what: 'created', id }) as const));
  }

  async act(id: string, action: string, body?: object): Promise<Answered> {
    return this.ask('POST', `/v1/schedules/${id}/${action}`, body);
  }

  async edit(id: string, patch: object): Promise<Answered> {
    const answer = await this.ask('PATCH', `/v1/schedules/${id}`, patch);
    if (answer.status === 200) {
      this.acknowledged.push({ what: 'edited', id, version: answer.body.version });
    }
    return answer;
  }

  async cancel(id: string): Promise<Answered> {
    const answer = await this.ask('DELETE', `/v1/schedules/${id}`);
    if (answer.status === 200) this.acknowledged.push({ what: 'cancelled', id });
    return answer;
  }

  /** Cancels every active and every paused schedule of the project, so that nothing is due any more. */
  async cancelAll(): Promise<void> {
    for (const status of ['active', 'paused']) {
      let cursor: string | null = null;
      do {
        const request = { action: 'cancel', filter: { status }, ...(cursor === null ? {} : { cursor }) };
        const { status: code, body } = await this.ask('POST', '/v1/schedules/actions', request);
        if (code !== 200 && code !== 202)
          throw new Error(`could not cancel all: ${code} ${JSON.stringify(body)}`);
        // If the action takes longer than ten seconds, the API answers 202, and the action goes on in the background.
        cursor = (code === 202 ? await this.#endOfAction(body.id) : body).nextCursor;
      } while (cursor !== null);
    }
  }

  #endOfAction(id: string): Promise<Answered['body']> {
    return eventually(
      async () => {
        const { body } = await this.ask('GET', `/v1/schedules/actions/${id}`);
        return body.status !== 'running' && body;
      },
      { withinMs: 120_000, what: `the end of the action ${id}` },
    );
  }
}

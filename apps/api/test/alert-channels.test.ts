import { describe, expect, it } from 'vitest';
import { useApi } from './use-api.js';

const api = useApi();

const CHANNELS = {
  webhook: { type: 'webhook' },
  slack: { type: 'slack' },
  pagerduty: { type: 'pagerduty', routingKey: 'key' },
};

describe('The URL of an alert channel', () => {
  it.each(Object.entries(CHANNELS))(
    'an alert channel of type %s to a private address is refused, both on create and on edit',
    async (name, channel) => {
      const strict = await api.replica({ ALLOW_PRIVATE_TARGETS: 'false' });
      const create = (id: string, url: string) =>
        api.call('POST', `${strict}/v1/alert-channels`, { body: { id, ...channel, url } });
      for (const host of ['127.0.0.1', 'localhost', '10.0.0.1', '[::1]', '169.254.169.254']) {
        const refused = await create('private', `https://${host}/hook`);
        expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'url' }] } });
      }
      expect((await create(name, 'https://example.com/hook')).status).toBe(201);
      const edit = (url: string) =>
        api.call('PATCH', `${strict}/v1/alert-channels/${name}`, { body: { url } });
      expect(await edit('https://127.0.0.1/hook')).toMatchObject({
        status: 400,
        body: { errors: [{ field: 'url' }] },
      });
      expect((await edit('https://example.com/other')).status).toBe(200);
    },
  );

  it('an alert channel to a private address is accepted if the installation allows private targets', async () => {
    const body = { id: 'local', type: 'webhook', url: 'http://127.0.0.1:9/hook' };
    expect((await api.call('POST', '/v1/alert-channels', { body })).status).toBe(201);
  });
});

import { useDatabase, useReceiver } from '@carillon/testkit';
import { describe, expect, it } from 'vitest';
import { awaitRun, insertDue, startTestWorker, useWorker } from './support.js';

const database = useDatabase();
const bare = useDatabase();
const vapi = useReceiver();
const VAPI = () => ({
  VAPI_BASE_URL: vapi.url('created/call_77'),
  VAPI_API_KEY: 'key_1',
  VAPI_ASSISTANT_ID: 'assistant_1',
  VAPI_PHONE_NUMBER_ID: 'phone_1',
});
// Private addresses are forbidden for webhooks. The operator's own base URL for Vapi may still be private.
useWorker(database, () => ({ ...VAPI(), ALLOW_PRIVATE_TARGETS: 'false' }));

describe('Call target', () => {
  it('a delivery to the target call asks the phone service Vapi to call a number, sends the attempt’s idempotency key, and stores the id of the phone call', async () => {
    const id = await insertDue(database, {
      target: { type: 'call', number: '+4930123456', assistantId: null, phoneNumberId: 'phone_2' },
      payload: { message: 'Take your pills' },
    });
    expect(await awaitRun(database, id)).toMatchObject({
      status: 'succeeded',
      externalId: 'call_77',
      httpStatus: 201,
    });
    const [request] = vapi.to('created/call_77/call') as [(typeof vapi.received)[number]];
    expect(request.headers.authorization).toBe('Bearer key_1');
    const { metadata, ...body } = JSON.parse(request.body);
    expect(body).toEqual({
      assistantId: 'assistant_1',
      phoneNumberId: 'phone_2',
      customer: { number: '+4930123456' },
      assistantOverrides: { variableValues: { message: 'Take your pills' } },
    });
    expect(metadata.run_id).toMatch(/^run_/);
    expect(metadata.idempotency_key).toMatch(new RegExp(`^${metadata.run_id}-1-[0-9a-z]+$`));
  });

  it('a run with the target call fails for good if the phone service Vapi is not configured, and its error names the missing variable', async () => {
    const worker = await startTestWorker(bare, {});
    const id = await insertDue(bare, {
      target: { type: 'call', number: '+4930123456', assistantId: null, phoneNumberId: null },
    });
    const run = await awaitRun(bare, id);
    expect(run).toMatchObject({ status: 'failed', errorCode: 'not_configured' });
    expect(run.error).toContain('VAPI_API_KEY');
    await worker.stop();
  });
});

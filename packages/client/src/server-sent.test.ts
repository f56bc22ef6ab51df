import { describe, expect, it } from 'vitest';
import { ServerSentReader } from './server-sent.js';

const reader = () => new ServerSentReader({ lastEventId: '', retryMs: 1_000 });

describe('ServerSentReader', () => {
  const text =
    ': hello\nretry: 250\n\nid: 7\n\nevent: run.started\r\ndata: {"a":\r\ndata: 1}\r\n\r\ndata:x\nid: 8\n\n';

  it('the client parses server-sent events in the same way, however their bytes are split into chunks', () => {
    const whole = reader();
    const messages = [...whole.read(text)];
    expect(messages).toEqual([
      { type: 'run.started', data: '{"a":\n1}' },
      { type: 'message', data: 'x' },
    ]);
    const pieces = reader();
    expect([...text].flatMap((character) => [...pieces.read(character)])).toEqual(messages);
    expect(pieces).toMatchObject({ lastEventId: '8', retryMs: 250 });
  });

  it('an event stream of the client resumes from the id of the last complete message', () => {
    const stream = reader();
    expect([...stream.read('id: 9\ndata: half')]).toEqual([]);
    expect(stream.lastEventId).toBe('');
    expect([...stream.read(' \n\n')]).toEqual([{ type: 'message', data: 'half ' }]);
    expect(stream.lastEventId).toBe('9');
  });
});

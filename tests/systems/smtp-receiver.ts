import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll } from 'vitest';

export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and text as received, but with LF at the end of each line. */
  data: string;
}

/**
 * A small SMTP server (RFC 5321) that keeps the mails it receives. It refuses recipients whose address begins with
 * "refused".
 */
export function useSmtpReceiver() {
  const mails: ReceivedMail[] = [];
  const server = createServer((socket) => converse(socket, mails));
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());
  return {
    mails,
    get url() {
      return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
  };
}

function converse(socket: Socket, mails: ReceivedMail[]): void {
  let mail: ReceivedMail = { from: '', to: [], data: '' };
  let isData = false;
  let buffered = '';
  const reply = (line: string) => socket.write(`${line}\r\n`);
  const addressIn = (line: string) => /<([^>]*)>/.exec(line)?.[1] ?? '';
  const takeLine = (line: string) => {
    if (isData) {
      if (line !== '.') {
        mail.data += `${line}\n`;
        return;
      }
      isData = false;
      mails.push(mail);
      mail = { from: '', to: [], data: '' };
      return reply('250 kept');
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO') return reply('250 test');
    if (verb === 'MAIL') {
      mail.from = addressIn(line);
      return reply('250 sender ok');
    }
    if (verb === 'RCPT') {
      const to = addressIn(line);
      if (to.startsWith('refused')) return reply('550 no such mailbox');
      mail.to.push(to);
      return reply('250 recipient ok');
    }
    if (verb === 'DATA') {
      isData = true;
      return reply('354 end with a dot');
    }
    if (verb === 'QUIT') return socket.end('221 bye\r\n');
    return reply('250 ok');
  };
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    buffered += chunk.toString('utf8');
    for (let end = buffered.indexOf('\r\n'); end >= 0; end = buffered.indexOf('\r\n')) {
      const line = buffered.slice(0, end);
      buffered = buffered.slice(end + 2);
      takeLine(line);
    }
  });
  reply('220 test');
}

import { randomBytes } from 'node:crypto';
import { SecretBox } from '@carillon/db';
import { expect, it } from 'vitest';
import { makePingToken, readPingToken } from './ping-token.js';

const secrets = new SecretBox(randomBytes(32).toString('base64'));
const token = makePingToken(secrets, { scheduleId: 42, generation: 3 });

it('a ping token contains the number of its schedule and the number of its rotation, and is 40 characters long', () => {
  expect(token).toHaveLength(40);
  expect(readPingToken(secrets, token)).toEqual({ scheduleId: 42, generation: 3 });
});

it('a ping token is refused if any character is changed, or if another installation has made it', () => {
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A';
    expect(readPingToken(secrets, token.slice(0, i) + other + token.slice(i + 1))).toBeNull();
  }
  const elsewhere = new SecretBox(randomBytes(32).toString('base64'));
  expect(readPingToken(elsewhere, token)).toBeNull();
  expect(readPingToken(secrets, '')).toBeNull();
});

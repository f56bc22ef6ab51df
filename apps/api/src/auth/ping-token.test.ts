import { randomBytes } from 'node:crypto';
import { SecretBox } from '@carillon/db';
import { expect, it } from 'vitest';
import { makePingToken, readPingToken } from './ping-token.js';

const secrets = new SecretBox(randomBytes(32).toString('base64'));
const token = makePingToken(secrets, { scheduleId: 42, generation: 3 });

it('the token of a ping URL has 40 characters, and holds the number of its schedule and a number that each rotation increases', () => {
  expect(token).toHaveLength(40);
  expect(readPingToken(secrets, token)).toEqual({ scheduleId: 42, generation: 3 });
});

it('the token of a ping URL is refused if any of its characters is changed, or if another installation has made it', () => {
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'A' ? 'B' : 'A';
    expect(readPingToken(secrets, token.slice(0, i) + other + token.slice(i + 1))).toBeNull();
  }
  const elsewhere = new SecretBox(randomBytes(32).toString('base64'));
  expect(readPingToken(elsewhere, token)).toBeNull();
  expect(readPingToken(secrets, '')).toBeNull();
});

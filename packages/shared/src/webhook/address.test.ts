import { describe, expect, it } from 'vitest';
import { addressKind } from './address.js';

describe('Addresses', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['9.255.255.255', 'public'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['11.0.0.0', 'public'],
    ['126.255.255.255', 'public'],
    ['128.0.0.0', 'public'],
    ['223.255.255.255', 'public'],
    ['224.0.0.0', 'forbidden'],
    ['2606:4700:4700::1111', 'public'],
    ['2001:4860:4860:0:0:0:0:8888', 'public'],
    ['1:2:3:4:5:6:7::', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['fdff:ffff::', 'private'],
    ['fe00::', 'forbidden'],
    ['::ffff:8.8.8.8', 'public'],
    ['::ffff:127.0.0.1', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['4000::1', 'forbidden'],
  ] as const)('%s is %s', (text, kind) => expect(addressKind(text)).toBe(kind));

  it.each([
    '',
    'example.com',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '1.2.3.',
    ':',
    ':::',
    '1::2::3',
    '12345::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '::1.2.3',
    '::g',
  ])('%j is no address', (text) => expect(addressKind(text)).toBeNull());
});

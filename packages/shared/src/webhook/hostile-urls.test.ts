import { describe, expect, it } from 'vitest';
import { hostProblem, urlProblem } from './vet-url.js';

/** Addresses that a webhook must not reach, in every spelling. */
const HOSTILE = [
  // this machine by IPv4, in every spelling that the URL parser normalises
  'http://127.0.0.1/',
  'http://127.0.0.1:6379/',
  'http://127.1/',
  'http://127.0.1/',
  'http://127.255.255.254/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0x7f.0x0.0x0.0x1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.0.0.1./',
  'http://127%2e0%2e0%2e1/',
  'http://%31%32%37.0.0.1/',
  'http://127。0。0。1/',
  'http://127.0.0.1/',
  'http://①②⑦.⓪.⓪.①/',
  'http://0/',
  'http://0.0.0.0/',
  'http://0.0.0.0:22/',
  'http://0.1.2.3/',
  // this machine by IPv6
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:7f00:0001]/',
  'http://[::127.0.0.1]/',
  'http://[::7f00:1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2002:a00:1::1]/',
  'http://[2001:0:7f00:1::]/',
  // names of this machine
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://localhost:5432/',
  'http://app.localhost/',
  'http://localhost.localdomain/',
  'http://LocalHost/',
  'http://redis:6379/',
  'http://postgres/',
  'http://metadata/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://printer.local/',
  'http://router.home.arpa/',
  // private networks
  'http://10.0.0.1/',
  'http://10.255.255.255/',
  'http://0xa.1/',
  'http://167772161/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://100.64.0.1/',
  'http://100.127.255.255/',
  'http://[::ffff:10.0.0.1]/',
  'http://[::ffff:192.168.0.1]/',
  'http://[fc00::1]/',
  'http://[fd12:3456:789a::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  // metadata services of clouds, which hand out credentials
  'http://169.254.169.254/latest/meta-data/',
  'http://169.254.170.2/v2/credentials',
  'http://0xa9fea9fe/',
  'http://2852039166/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:169.254.169.254]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[fd00:ec2::254]/',
  // multicast, reserved and documentation addresses
  'http://224.0.0.1/',
  'http://239.255.255.250:1900/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://192.0.0.192/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://198.51.100.1/',
  'http://203.0.113.1/',
  'http://192.88.99.1/',
  'http://[ff02::1]/',
  'http://[2001:db8::1]/',
];

/** URLs that are refused even if private addresses are allowed. */
const MALFORMED = [
  '',
  'example.com/hook',
  '//example.com/hook',
  '/hook',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com:70/1',
  'javascript:alert(1)',
  'data:text/plain,hello',
  'unix:/var/run/docker.sock',
  'http://user@example.com/',
  'http://user:password@example.com/',
  'http://example.com@127.0.0.1/',
  'http://:secret@example.com/',
  'http://exa mple.com/',
  'http://example.com/a\r\nX-Injected: 1',
  'http://exam\tple.com/',
  ' http://example.com/',
  'http:\\\\127.0.0.1\\',
  'http://example.com\\@127.0.0.1/',
  'http://[::1/',
  'http://[fe80::1%25eth0]/',
  'http://256.256.256.256/',
  'http://1.2.3.4.5/',
  'http://example.com:99999/',
  'http://',
  'http://./',
  `http://example.com/${'a'.repeat(2_048)}`,
];

const SOUND = [
  'https://example.com/hook',
  'http://example.com:8080/hook?a=b#c',
  'https://8.8.8.8/',
  'https://1.1.1.1./',
  'https://172.15.0.1/',
  'https://172.32.0.1/',
  'https://100.63.255.255/',
  'https://100.128.0.1/',
  'https://11.0.0.1/',
  'https://192.167.1.1/',
  'https://169.253.1.1/',
  'https://[2606:4700::1111]/',
  'https://[64:ff9b::808:808]/',
  'https://[::ffff:8.8.8.8]/',
  'https://bücher.example/',
  'https://localhost.example.com/',
  'https://internal.example.com/',
];

const refuse = (url: string, allowPrivate = false) => urlProblem(url) ?? hostProblem(url, { allowPrivate });

describe('webhook URLs', () => {
  it('the corpus of hostile webhook URLs has at least sixty hosts', () =>
    expect(new Set(HOSTILE).size).toBeGreaterThanOrEqual(60));

  it.each(HOSTILE)(
    'the webhook URL %s is refused, because it leads to a private or forbidden address',
    (url) => expect(refuse(url)).not.toBeNull(),
  );

  it.each(MALFORMED)(
    'the malformed webhook URL %j is refused, even if private addresses are allowed',
    (url) => {
      expect(refuse(url, true)).not.toBeNull();
    },
  );

  it.each(SOUND)('the webhook URL %s is accepted', (url) => expect(refuse(url)).toBeNull());

  it.each([
    'http://127.0.0.1:3000/',
    'http://localhost/',
    'http://[::1]/',
    'http://10.1.2.3/',
    'http://redis/',
  ])('the webhook URL %s is accepted if private addresses are allowed', (url) =>
    expect(refuse(url, true)).toBeNull(),
  );

  it.each([
    'http://169.254.169.254/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
  ])('the webhook URL %s is refused, even if private addresses are allowed', (url) =>
    expect(refuse(url, true)).not.toBeNull(),
  );
});

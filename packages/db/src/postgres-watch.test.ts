import { describe, expect, it } from 'vitest';
import { PostgresWatch } from './postgres-watch.js';

const REFUSED = Object.assign(new Error('connect ECONNREFUSED'), {
  syscall: 'connect',
  code: 'ECONNREFUSED',
});
const SYNTAX_ERROR = Object.assign(new Error('syntax error'), { severity: 'ERROR', code: '42601' });

function open() {
  const lines: string[] = [];
  const write = (level: string) => (_fields: object, message: string) =>
    void lines.push(`${level} ${message}`);
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  return { watch: new PostgresWatch(log, 'nothing is claimed'), lines };
}

describe('PostgresWatch', () => {
  it('an outage of Postgres is logged as one warning at its start and one line at its end, however many calls fail meanwhile', () => {
    const { watch, lines } = open();
    watch.noteAnswer();
    watch.report(REFUSED, 'Claim failed');
    watch.report(REFUSED, 'Heartbeat failed');
    watch.noteAnswer();
    watch.noteAnswer();
    expect(lines).toEqual([
      'warn Postgres is away: nothing is claimed',
      'debug Claim failed',
      'debug Heartbeat failed',
      'info Postgres is back',
    ]);
  });

  it('each of two outages of Postgres is logged with a warning of its own', () => {
    const { watch, lines } = open();
    for (let outage = 0; outage < 2; outage++) {
      watch.report(REFUSED, 'Claim failed');
      watch.noteAnswer();
    }
    expect(lines.filter((line) => line.startsWith('warn'))).toHaveLength(2);
  });

  it('a statement that Postgres refuses is logged as an error, and not as an outage', () => {
    const { watch, lines } = open();
    watch.report(SYNTAX_ERROR, 'Claim failed');
    watch.noteAnswer();
    expect(lines).toEqual(['error Claim failed']);
  });

  it('a statement that Postgres has cancelled at its time-out is logged as an error, and not as an outage', () => {
    const { watch, lines } = open();
    const message = 'canceling statement due to statement timeout';
    watch.report(Object.assign(new Error(message), { severity: 'ERROR', code: '57014' }), 'Forecast failed');
    expect(watch.isAway).toBe(false);
    expect(lines).toEqual(['error Forecast failed']);
  });
});

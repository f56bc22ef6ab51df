import { expect, it } from 'vitest';
import { reportOutages } from './redis-watch.js';

const error = new Error('refused');

function open() {
  const lines: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${(fields as { redis: string }).redis} ${message}`);
  return { lines, ...reportOutages({ warn: write('warn'), info: write('info') }, 'bells are late') };
}

it('during an outage of Redis, each cause is logged as a warning the first time, and at level info if it occurs again', () => {
  const { lines, onTrouble, onRecovery } = open();
  onTrouble('down', error, true);
  onTrouble('access_denied', error, false);
  onTrouble('down', error, false);
  onRecovery();
  onTrouble('access_denied', error, true);
  onTrouble('down', error, false);
  const another = 'Redis still takes no writes, for another reason';
  expect(lines).toEqual([
    'warn down Redis takes no writes: bells are late',
    `warn access_denied ${another}`,
    `info down ${another}`,
    'info up Redis takes writes again',
    'warn access_denied Redis takes no writes: bells are late',
    `warn down ${another}`,
  ]);
});

#!/usr/bin/env node
// Stands in for curl, which some machines lack: sends one request, and fails for an answer that is an error.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const flag = (short) => ({ type: 'boolean', short });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { fail: flag('f'), silent: flag('s'), 'show-error': flag('S'), 'data-binary': { type: 'string' } },
});
const data = values['data-binary'];
const request = data === undefined ? {} : { method: 'POST', body: readFileSync(data.replace(/^@/, '')) };
const response = await fetch(positionals[0], request);
process.stdout.write(await response.text());
process.exitCode = response.ok ? 0 : 22;

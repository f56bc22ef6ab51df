#!/usr/bin/env node
// Stands in for psql, which npm can't install: sends standard input to DATABASE_URL.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const pg = createRequire(join(process.env.GUIDE_MODULES, 'index.js'))('pg');
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
const results = [await client.query(await text(process.stdin))].flat();
for (const { rows } of results) for (const row of rows) console.log(Object.values(row).join(' | '));
await client.end();

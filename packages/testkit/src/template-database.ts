import { migrate } from '@carillon/db';
import type pg from 'pg';
import { urlOf, withAdmin } from './administer.js';

/** The number of an advisory lock that no other file takes: the word "copy" in ASCII. */
const TEMPLATE_LOCK = 0x636f7079;

/**
 * Creates a migrated database as a copy of a template, which takes a fraction of the time that the migrations take. The
 * first caller of a test run creates the template.
 */
export async function copyTemplate(serverUrl: string, template: string, name: string): Promise<void> {
  await withAdmin(serverUrl, async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template]);
    if (rowCount === 0) await createTemplate(serverUrl, template, admin);
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
    await admin.query(`create database ${name} template ${template}`);
  });
}

/**
 * Creates the template under another name and renames it when it is complete. So a migration that fails leaves no
 * template that could be copied.
 */
async function createTemplate(serverUrl: string, template: string, admin: pg.Client): Promise<void> {
  const unfinished = `${template}_unfinished`;
  await admin.query(`drop database if exists ${unfinished}`);
  await admin.query(`create database ${unfinished}`);
  await migrate(urlOf(serverUrl, unfinished));
  await admin.query(`alter database ${unfinished} rename to ${template}`);
}

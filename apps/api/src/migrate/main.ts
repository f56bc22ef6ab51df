import { migrate, UnsupportedDatabase } from '@carillon/db';
import { readMigrationConfig } from '../config.js';

// The command `migrate` brings the database up to date and exits. It may be run at any time, and several times at once.
const config = readMigrationConfig(process.env);
if ('problems' in config) {
  for (const problem of config.problems) console.error(`carillon migrate: ${problem}`);
  process.exit(2);
}
const { DATABASE_URL, DATABASE_DIRECT_URL = DATABASE_URL, DATABASE_SCHEMA: schema } = config;
try {
  await migrate(DATABASE_DIRECT_URL, { schema });
  console.log(`carillon migrate: the schema "${schema}" is up to date`);
} catch (error) {
  const { message, code } = error as Error & { code?: string };
  console.error(`carillon migrate: ${message || code}`);
  process.exit(error instanceof UnsupportedDatabase ? 2 : 1);
}

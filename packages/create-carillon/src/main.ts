import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { CreateError, createProject } from './create-project.js';

const DEFAULT_FOLDER = 'carillon-app';
const USAGE = `Usage: npm create carillon [folder]

Creates a project with typed handlers, schedules and tests in the folder (default ${DEFAULT_FOLDER}).
The folder must be new or empty; "." is the current one.
`;

/** Creates the project and prints the next steps; returns the exit code. */
async function main(args: string[]): Promise<number> {
  let parsed: { values: { help?: boolean }; positionals: string[] };
  try {
    parsed = parseArgs({ args, allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } });
  } catch (error) {
    return refuse(`${(error as Error).message}\n\n${USAGE}`);
  }
  const [path = DEFAULT_FOLDER, surplus] = parsed.positionals;
  if (parsed.values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (surplus !== undefined)
    return refuse(`unexpected argument "${surplus}"; expected one folder\n\n${USAGE}`);
  try {
    const { folder, name } = await createProject(path);
    process.stdout.write(nextSteps(name, relative(process.cwd(), folder)));
    return 0;
  } catch (error) {
    if (!(error instanceof CreateError)) throw error;
    return refuse(`${error.message}\n`);
  }
}

function refuse(message: string): number {
  process.stderr.write(`create-carillon: ${message}`);
  return 2;
}

const nextSteps = (name: string, folder: string) => `
Created ${name}: typed handlers, schedules, and a test that moves the clock over a DST change.

Next:
${folder === '' ? '' : `  cd ${folder.includes(' ') ? `"${folder}"` : folder}\n`}  npm install
  npm test        # runs the schedules on the real engine, in a time that the test moves
  npm run dev     # starts everything, prints the address of the dashboard and its key

Your code is in src/handlers.ts and src/schedules.ts. README.md explains the rest.
`;

process.exitCode = await main(process.argv.slice(2));

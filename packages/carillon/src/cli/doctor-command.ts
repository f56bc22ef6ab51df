import { command, EXIT, type Output, type Terminal, table } from '@carillon/client/command-line';
import { readDoctorEnvironment } from '../config.js';
import { type Check, failed, ok, skipped, warning } from '../doctor/check.js';

export const doctor = command({
  name: 'doctor',
  summary: 'Check the settings, Postgres, Redis and the workers of an installation',
  details:
    'Reads DATABASE_URL, REDIS_URL and the other settings of a worker, or the settings that `npm start` has stored in this folder. Also asks the API for its health, if it can be reached. Changes nothing. Exits with 1 if a check has failed, so that a deployment can stop there.',
  usage: '',
  words: { least: 0, most: 0 },
  options: { strict: { type: 'boolean', about: 'exit with 1 for warnings too' } },
  examples: ['carillon doctor', 'carillon doctor --json', 'carillon doctor --strict && deploy'],
  async run(invocation): Promise<Output> {
    const { values, terminal } = invocation;
    // The server's code takes a second to load, so only the commands that need it import it.
    const { runDoctor } = await import('../doctor/run-doctor.js');
    const checks = await runDoctor(readDoctorEnvironment());
    // `client` is a getter that throws if there is no API key. Inside `checkApi`, the error becomes a skipped check.
    checks.push(await checkApi(() => invocation.client.system()));
    const count = (status: Check['status']) => checks.filter((check) => check.status === status).length;
    const summary = { failed: count('failed'), warnings: count('warning') };
    const isHealthy = summary.failed === 0 && !(values.strict && summary.warnings > 0);
    return {
      json: { ok: isHealthy, ...summary, checks },
      text: textOf(checks, terminal),
      exitCode: isHealthy ? EXIT.ok : EXIT.failed,
    };
  },
});

interface ApiState {
  status: 'ok' | 'degraded' | 'down';
  reasons: readonly { code: string; message: string }[];
}

/**
 * Asks the API for its health. The check is skipped if no API answers, because a deployment runs `doctor` before it
 * starts the API.
 */
export async function checkApi(readSystem: () => Promise<ApiState>): Promise<Check> {
  const name = 'api';
  let state: ApiState;
  try {
    state = await readSystem();
  } catch (error) {
    return skipped(name, `not asked: ${(error as Error).message.split('\n')[0]}`);
  }
  const reasons = state.reasons.map(({ message }) => message).join(' ');
  if (state.status === 'ok') return ok(name, 'answers, and says that the installation is ok');
  const judge = state.status === 'down' ? failed : warning;
  return judge(name, `says that the installation is ${state.status}`, reasons);
}

const LOOKS = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'dim' } as const;

function textOf(checks: readonly Check[], terminal: Terminal): string {
  const rows = checks.map(({ name, status, message }) => [
    { text: status, look: LOOKS[status] },
    name,
    message,
  ]);
  const advices = checks.filter(({ advice }) => advice !== null);
  const todo = advices.map(({ name, advice }) => `  ${name}: ${advice}`).join('\n');
  // The messages are not cut at the width of the terminal, because a person must read them whole.
  const listed = table(['STATUS', 'CHECK', 'FOUND'], rows, { ...terminal, columns: null });
  return advices.length === 0 ? `${listed}\n\nNothing to do.` : `${listed}\n\nWhat to do\n${todo}`;
}

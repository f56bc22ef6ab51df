import { command, EXIT, type Output, table } from '@carillon/client/command-line';
import type { RestoreMode } from '@carillon/shared';
import { readDoctorEnvironment } from '../config.js';
import type { RestorePreview, RestoreState } from '../restore/restore.js';

export const restoreCommand = command({
  name: 'restore',
  summary: 'Decide about the lost time after a restore, a failover or a copy of the database',
  details:
    'Reads DATABASE_URL as a worker does, or the installation that `npm start` has left in this folder, and talks to Postgres directly. Without a decision it shows whether workers are held, and what each decision would do. A decision releases the workers under a new generation.',
  usage: '',
  words: { least: 0, most: 0 },
  options: {
    account: { type: 'boolean', about: 'record every occurrence of the lost time as skipped, and run none' },
    refire: { type: 'boolean', about: 'run every occurrence of the lost time' },
    'by-policy': { type: 'boolean', about: "follow each schedule's misfire policy" },
    hold: { type: 'boolean', about: 'hold the workers, or keep them held: they claim nothing' },
    adopt: {
      type: 'boolean',
      about:
        'make a copy an installation of its own, so that it fires (with --account unless said otherwise)',
    },
    until: { type: 'string', value: '<time>', about: 'where the lost time ends, RFC 3339 (default: now)' },
    'dry-run': { type: 'boolean', about: 'show what would happen, and change nothing' },
  },
  examples: [
    'carillon restore',
    'carillon restore --refire --dry-run',
    'carillon restore --by-policy',
    'carillon restore --adopt',
  ],
  async run({ values, terminal }): Promise<Output> {
    // The server's code takes a second to load, so only the commands that need it import it.
    const [{ MomentInput, RESTORE_MODES }, { openInstallation }, { previewRestore, restore }] =
      await Promise.all([
        import('@carillon/shared'),
        import('../restore/open-installation.js'),
        import('../restore/restore.js'),
      ]);
    const until = MomentInput.optional().safeParse(values.until);
    const problem = problemOf(values, { modes: RESTORE_MODES, isUntilValid: until.success });
    if (problem !== null) return failure(problem, EXIT.usage);
    const untilAt = until.data ?? null;
    const mode = RESTORE_MODES.find((each) => values[each]) ?? (values.adopt ? 'account' : null);
    const installation = openInstallation(readDoctorEnvironment());
    if ('problem' in installation) return failure(installation.problem, EXIT.usage);
    const { pool, close } = installation;
    try {
      if (values['dry-run'] || (mode === null && !values.hold)) {
        const modes = mode === null ? RESTORE_MODES : [mode];
        const preview = await previewRestore(pool, { modes, untilAt });
        return {
          json: preview,
          text: textOfPreview(preview, (rows) => table(PREVIEW_HEADER, rows, terminal)),
        };
      }
      const isAdopted = values.adopt ?? false;
      const done = await restore(
        pool,
        mode === null ? { kind: 'hold' } : { kind: 'release', mode, isAdopted, untilAt },
      );
      return { json: done, text: done.message, exitCode: done.ok ? EXIT.ok : EXIT.failed };
    } finally {
      await close();
    }
  },
});

type Values = { [Option in RestoreMode | 'hold' | 'adopt']?: boolean } & { until?: string };

function problemOf(
  values: Values,
  { modes, isUntilValid }: { modes: readonly RestoreMode[]; isUntilValid: boolean },
): string | null {
  const chosen = [...modes, 'hold' as const].filter((each) => values[each]);
  if (chosen.length > 1) return `choose one of --${chosen.join(' and --')}`;
  if (values.hold && values.adopt) return 'choose one of --hold and --adopt';
  if (values.hold && values.until !== undefined)
    return '--until belongs to a decision such as --account; --hold decides nothing, so leave --until out';
  if (!isUntilValid)
    return `--until ${values.until}: expected an RFC 3339 time with Z or an offset, such as 2026-11-18T09:00:00Z`;
  return null;
}

const failure = (message: string, exitCode: number): Output => ({
  json: { ok: false, message },
  text: message,
  exitCode,
});

const PREVIEW_HEADER = ['DECISION', 'RUN', 'SKIPPED'];

function textOfPreview(
  { state, schedules, openRuns, decisions }: RestorePreview,
  tableOf: (rows: string[][]) => string,
): string {
  const rows = decisions.map(({ mode, run, skipped }) => [`--${mode}`, String(run), String(skipped)]);
  const examples = decisions.flatMap(({ mode, examples }) =>
    examples.map(
      ({ project, schedule, firstAt, run, skipped }) =>
        `  --${mode}: ${project}/${schedule}, due since ${firstAt}: ${run} run, ${skipped} skipped`,
    ),
  );
  return [
    describeState(state),
    `${schedules} schedules have overdue occurrences. ${openRuns} runs were in flight or waiting; they go on as usual.`,
    tableOf(rows),
    ...(examples.length > 0 ? ['For example', ...examples] : []),
    'Nothing was changed.',
  ].join('\n');
}

function describeState({ hold }: RestoreState): string {
  if (!hold) return 'Workers are not held: they claim as usual.';
  return `Workers are held since ${hold.since} (${hold.code}): ${hold.reason}.\nThe lost time begins at ${hold.lostFrom}.`;
}

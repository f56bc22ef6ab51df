import { command, type Output } from '../command.js';
import { EXIT } from '../exit-code.js';
import type { AppliedEntry } from '../files/apply-plan.js';
import { type Style, withoutControls } from '../terminal.js';
import { FILES_OPTIONS, readFilesOption } from './files-options.js';

export const apply = command({
  name: 'apply',
  summary: 'Create, change and cancel schedules so that they match files',
  details: `Compares the files with the project like carillon plan, then writes each difference. A schedule that was changed in between is
not overwritten, and a failure does not stop the others. Exit codes: 0 if everything is as the files say, 1 if anything failed.`,
  usage: '-f <path>…',
  words: { least: 0, most: 0 },
  errorExitCode: EXIT.failed,
  options: FILES_OPTIONS,
  examples: ['carillon apply -f schedules.yaml', 'carillon apply -f schedules/ --prune'],
  async run({ values, client, terminal, env }): Promise<Output> {
    const [{ planFiles }, { applyPlan }] = await Promise.all([
      import('../files/plan-files.js'),
      import('../files/apply-plan.js'),
    ]);
    const made = await planFiles(client, await readFilesOption(values.file, env), {
      prune: values.prune ?? false,
      takeOver: values['take-over'] ?? false,
    });
    const applied = await applyPlan(client, made);
    const written = applied.filter(({ result }) => result !== 'kept');
    const hasFailed = applied.some(({ result }) => result === 'failed');
    return {
      json: { items: applied, unlisted: made.unlisted },
      text:
        written.length === 0
          ? 'Nothing to change.'
          : written.map((each) => lineOf(each, terminal.style)).join('\n'),
      notes: [summaryOf(applied)],
      exitCode: hasFailed ? EXIT.failed : EXIT.ok,
    };
  },
});

function lineOf({ id, result, version, error }: AppliedEntry, style: Style): string {
  if (error !== null) return `${style('red', '!')} ${id}: ${withoutControls(error)}`;
  return `${style('green', '✓')} ${id} ${result}, at version ${version}`;
}

function summaryOf(applied: readonly AppliedEntry[]): string {
  const results = ['created', 'restored', 'changed', 'cancelled', 'kept', 'failed'] as const;
  const counts = results.map(
    (name) => [name, applied.filter(({ result }) => result === name).length] as const,
  );
  const parts = counts.filter(([, count]) => count > 0).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'the files hold no schedules' : parts.join(', ');
}

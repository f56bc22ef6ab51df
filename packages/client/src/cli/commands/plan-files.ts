import { command, type Output } from '../command.js';
import { CHANGES_PENDING, EXIT } from '../exit-code.js';
import { hasChanges, hasProblems } from '../files/file-plan.js';
import { planSummary, planText } from '../files/plan-text.js';
import { FILES_OPTIONS, readFilesOption } from './files-options.js';

export const plan = command({
  name: 'plan',
  summary: 'Show what carillon apply would create, change and cancel',
  details: `Changes nothing. Needs a key with the scope write. Exit codes: 0 if the plan was made, 1 if an error occurred or an entry would be
refused. With --detailed-exitcode: 0 if there is nothing to change, 2 if there are changes, 1 for errors and refused entries.`,
  usage: '-f <path>…',
  words: { least: 0, most: 0 },
  errorExitCode: EXIT.failed,
  options: {
    ...FILES_OPTIONS,
    'detailed-exitcode': { type: 'boolean', about: 'exit with 2 if there are changes to apply' },
  },
  examples: [
    'carillon plan -f schedules.yaml',
    'carillon plan -f schedules/ --prune --detailed-exitcode',
    'carillon plan -f billing.yaml -f reports.json --json',
  ],
  async run({ values, client, terminal, env }): Promise<Output> {
    const { planFiles } = await import('../files/plan-files.js');
    const made = await planFiles(client, await readFilesOption(values.file, env), {
      prune: values.prune ?? false,
      takeOver: values['take-over'] ?? false,
    });
    const pendingCode = values['detailed-exitcode'] && hasChanges(made) ? CHANGES_PENDING : EXIT.ok;
    return {
      json: made,
      text: planText(made, terminal.style),
      notes: [planSummary(made)],
      exitCode: hasProblems(made) ? EXIT.failed : pendingCode,
    };
  },
});

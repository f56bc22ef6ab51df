import { type Style, withoutControls } from '../terminal.js';
import { shortTime } from '../times.js';
import { type FilePlan, hasChanges, type PlannedEntry, type PrunedEntry } from './file-plan.js';

/** The plan as text: what is created, changed, cancelled and refused, and how many stay as they are. */
export function planText(plan: FilePlan, style: Style): string {
  const blocks = [
    ...plan.entries.filter(({ action, problem }) => action !== 'keep' || problem !== null).map(entryText),
    ...plan.pruned.map(prunedText),
  ];
  const refused = plan.entries.filter(({ problem }) => problem !== null).length;
  const nothing = refused > 0 ? 'No other changes.' : 'Nothing to change.';
  return [...blocks, hasChanges(plan) ? '' : nothing].filter((text) => text !== '').join('\n\n');

  function entryText(entry: PlannedEntry): string {
    const { id, source, problem } = entry;
    const [sign, word, look] = problem === null ? SIGNS[entry.action] : SIGNS.invalid;
    const head = `${style(look, `${sign} ${id}`)}  ${word}  ${style('dim', source)}`;
    return [head, ...(problem === null ? detailsOf(entry) : [withoutControls(problem)]).map(indent)].join(
      '\n',
    );
  }

  function prunedText({ id, set, name }: PrunedEntry): string {
    const named = name === null ? '' : ` (${withoutControls(name)})`;
    return `${style('red', `- ${id}`)}  cancel${named}\n${indent(`is in no file of the set ${set}`)}`;
  }
}

const SIGNS = {
  create: ['+', 'create', 'green'],
  restore: ['+', 'start anew: it is cancelled', 'green'],
  change: ['~', 'change', 'yellow'],
  keep: ['=', 'keep', null],
  invalid: ['!', 'refused', 'red'],
} as const;

const indent = (line: string) => `    ${line}`;

function detailsOf({ changes, next, nextBefore, warnings, status }: PlannedEntry): string[] {
  const times = (list: readonly string[]) => (list.length === 0 ? 'none' : list.map(shortTime).join(', '));
  return [
    ...changes.map(({ field, before, after }) => `${field}: ${valueText(before)} → ${valueText(after)}`),
    ...(nextBefore === null ? [] : [`next before: ${times(nextBefore)}`]),
    ...(next === null ? [] : [`next${nextBefore === null ? '' : ' after'}: ${times(next)}`]),
    ...(status === 'paused' ? ['is paused, and stays paused'] : []),
    ...warnings.map((warning) => `warning: ${withoutControls(warning)}`),
  ];
}

const valueText = (value: unknown) =>
  value === null || value === undefined
    ? '–'
    : withoutControls(typeof value === 'string' ? value : JSON.stringify(value));

/** One line with the number of changes of each kind. */
export function planSummary({ entries, pruned, unlisted }: FilePlan): string {
  const counted = (action: PlannedEntry['action']) =>
    entries.filter((entry) => entry.action === action && entry.problem === null).length;
  const refused = entries.filter(({ problem }) => problem !== null).length;
  const counts = [
    `${counted('create') + counted('restore')} to create`,
    `${counted('change')} to change`,
    `${pruned.length} to cancel`,
    `${counted('keep')} unchanged`,
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(unlisted.length > 0 ? [`${unlisted.length} in the set but in no file (--prune cancels them)`] : []),
  ];
  return counts.join(', ');
}

import type { Schedule } from '@carillon/client';
import { Dialog, DialogButtons } from '../ui/dialog.js';
import { diffDefinitions, printValue } from './diff-definitions.js';
import { type Draft, patchOf } from './draft.js';

/**
 * Shown if another person saved the schedule first. Both changes stand side by side, field by field, and the user
 * chooses.
 */
export function Conflict({
  base,
  theirs,
  draft,
  onKeepMine,
  onTakeTheirs,
  onClose,
}: {
  base: Schedule;
  theirs: Schedule;
  draft: Draft;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
}) {
  const mine = patchOf(draft, base) as Record<string, unknown>;
  const changed = diffDefinitions(base, theirs);
  const fields = [...new Set([...changed.map(({ field }) => field as string), ...Object.keys(mine)])];
  const printField = (schedule: Schedule, field: string) => printValue(schedule[field as keyof Schedule]);
  return (
    <Dialog
      title={`This schedule changed meanwhile: it is at version ${theirs.version}`}
      onClose={onClose}
      isWide
    >
      <p className="mb-3 text-sm text-soft">You began with version {base.version}. Nothing is saved yet.</p>
      <div className="overflow-x-auto">
        <table className="rows">
          <thead>
            <tr>
              <th>Field</th>
              <th>Was</th>
              <th>Theirs</th>
              <th>Yours</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field}>
                <td data-label="Field" className="font-medium">
                  {field}
                </td>
                <td data-label="Was" className="break-words">
                  {printField(base, field)}
                </td>
                <td data-label="Theirs" className="break-words">
                  {changed.some((change) => change.field === field) ? (
                    printField(theirs, field)
                  ) : (
                    <span className="text-faint">unchanged</span>
                  )}
                </td>
                <td data-label="Yours" className="break-words">
                  {field in mine ? printValue(mine[field]) : <span className="text-faint">unchanged</span>}
                </td>
              </tr>
            ))}
            {fields.length === 0 && (
              <tr>
                <td data-label="" colSpan={4}>
                  The definition is the same: it was paused or resumed.
                </td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <DialogButtons>
        <button type="button" className="btn" onClick={onTakeTheirs}>
          Take theirs, drop mine
        </button>
        <button type="button" className="btn btn-primary" onClick={onKeepMine}>
          Save mine on top of theirs
        </button>
      </DialogButtons>
    </Dialog>
  );
}

import { ACTIONS, type ActionName } from './perform-action.js';

const BULK: readonly ActionName[] = ['pause', 'resume', 'trigger', 'skip-next', 'cancel'];

/** The actions on the selected schedules. If `count` is null, all schedules that match the filter are selected. */
export function BulkBar({
  count,
  canTakeAll,
  onAll,
  onClear,
  onAction,
}: {
  count: number | null;
  canTakeAll: boolean;
  onAll: () => void;
  onClear: () => void;
  onAction: (action: ActionName | 'replay') => void;
}) {
  return (
    <div
      className="flex flex-wrap items-center gap-2 border-b border-line bg-sunken px-3 py-2 text-sm"
      role="toolbar"
      aria-label="Actions on the selection"
    >
      <span className="font-medium">{count === null ? 'All that match' : `${count} selected`}</span>
      {canTakeAll && (
        <button type="button" className="link cursor-pointer" onClick={onAll}>
          Select all that match
        </button>
      )}
      <span className="mx-1 h-4 border-l border-line" />
      {BULK.map((action) => (
        <button
          key={action}
          type="button"
          className={`btn ${ACTIONS[action].isDanger ? 'btn-danger' : ''}`}
          onClick={() => onAction(action)}
        >
          {ACTIONS[action].name}…
        </button>
      ))}
      <button type="button" className="btn" onClick={() => onAction('replay')}>
        Replay failed…
      </button>
      <button type="button" className="btn btn-quiet ml-auto" onClick={onClear}>
        Clear
      </button>
    </div>
  );
}

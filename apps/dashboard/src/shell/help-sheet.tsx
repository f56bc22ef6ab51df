import { Dialog } from '../ui/dialog.js';
import { PLACES } from './navigation.js';

const GENERAL: readonly [keys: string, does: string][] = [
  ['Ctrl K', 'Go to a page, or find a schedule'],
  ['/', 'Search in this list'],
  ['n', 'New schedule'],
  ['← →', 'On a timeline: move from mark to mark'],
  ['Esc', 'Close a dialog'],
  ['?', 'This sheet'],
];

export function HelpSheet({ onClose }: { onClose: () => void }) {
  const places = PLACES.flat().map(({ key, name }): [string, string] => [`g ${key}`, name]);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="grid gap-x-8 gap-y-1.5 text-sm sm:grid-cols-2">
        {[...GENERAL, ...places].map(([keys, does]) => (
          <div key={keys} className="flex items-baseline gap-3">
            <kbd className="w-16 shrink-0 text-accent">{keys}</kbd>
            <span>{does}</span>
          </div>
        ))}
      </div>
    </Dialog>
  );
}

import { Dialog as Base } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useDeferredValue, useState } from 'react';
import { carillon } from '../api/carillon.js';
import { changePreferences } from '../api/preferences.js';
import { useCan } from '../api/session.js';
import { PLACES } from './navigation.js';

interface Command {
  id: string;
  name: string;
  kind: string;
  run: () => unknown;
}

/** A palette that finds any page or schedule by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  const commands = useCommands(text);
  const active = Math.min(chosen, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      choose((active + step + commands.length) % Math.max(1, commands.length));
    }
    if (event.key === 'Enter') run(commands[active]);
  };
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog !top-[12vh] !-translate-x-1/2 !translate-y-0 !p-0">
          <Base.Title className="sr-only">Go to, or find a schedule</Base.Title>
          <input
            className="w-full border-b border-line bg-transparent px-4 py-3 text-base outline-none"
            placeholder="A page, a schedule, or something to do"
            aria-label="Go to, or find a schedule"
            role="combobox"
            aria-expanded="true"
            aria-controls="palette-list"
            aria-activedescendant={commands[active] ? `palette-${active}` : undefined}
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              choose(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div
            id="palette-list"
            role="listbox"
            aria-label="Results"
            className="max-h-[50vh] overflow-y-auto p-1.5"
          >
            {commands.map((command, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keyboard.
              <div
                key={command.id}
                id={`palette-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === active}
                className={`menu-item ${index === active ? 'bg-accent-weak' : ''}`}
                onClick={() => run(command)}
              >
                <span className="min-w-0 truncate">{command.name}</span>
                <span className="ml-auto shrink-0 text-xs text-soft">{command.kind}</span>
              </div>
            ))}
          </div>
          {commands.length === 0 && <p className="px-4 pb-4 text-sm text-soft">Nothing matches.</p>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function useCommands(text: string): Command[] {
  const navigate = useNavigate();
  const canWrite = useCan('write');
  const wanted = useDeferredValue(text.trim());
  const matchingSchedules = useQuery({
    queryKey: ['schedules', 'palette', wanted],
    queryFn: ({ signal }) => carillon.schedules.list({ q: wanted, limit: 8 }, { signal }).page(),
    enabled: wanted !== '',
    placeholderData: (before) => before,
  });
  const pages: Command[] = PLACES.flat().map(({ to, name }) => ({
    id: to,
    name,
    kind: 'page',
    run: () => navigate({ to }),
  }));
  const doings: Command[] = [
    ...(canWrite
      ? [{ id: 'new', name: 'New schedule', kind: 'action', run: () => navigate({ to: '/schedules/new' }) }]
      : []),
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      id: `theme-${theme}`,
      name: `Theme: ${theme}`,
      kind: 'setting',
      run: () => changePreferences({ theme }),
    })),
    ...(['schedule', 'mine', 'utc'] as const).map((zone) => ({
      id: `zone-${zone}`,
      name: `Times in: ${zone === 'schedule' ? "the schedule's zone" : zone === 'mine' ? 'my zone' : 'UTC'}`,
      kind: 'setting',
      run: () => changePreferences({ zone }),
    })),
  ];
  const matching = [...doings.slice(0, 1), ...pages, ...doings.slice(1)].filter(({ name }) =>
    name.toLowerCase().includes(wanted.toLowerCase()),
  );
  const schedules: Command[] = (wanted === '' ? [] : (matchingSchedules.data?.items ?? [])).map(
    ({ id, name }) => ({
      id: `schedule-${id}`,
      name: name === null ? id : `${name} (${id})`,
      kind: 'schedule',
      run: () => navigate({ to: '/schedules/$id', params: { id } }),
    }),
  );
  return [...matching, ...schedules];
}

import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { PLACES } from './navigation.js';

export type ShellCommand = 'palette' | 'help';

const G_WITHIN_MS = 1_200;
const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.isContentEditable);

/** The keyboard shortcuts of the shell. Keys that are typed into a field are ignored. */
export function useShortcuts(run: (command: ShellCommand) => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let gAt = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        run('palette');
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('[role="dialog"]')) return;
      if (event.key === '?') return run('help');
      if (event.key === 'n') return void navigate({ to: '/schedules/new' });
      if (event.key === '/') {
        const field = document.querySelector<HTMLInputElement>('input[type="search"]');
        event.preventDefault();
        return field ? field.focus() : run('palette');
      }
      if (event.key === 'g') {
        gAt = event.timeStamp;
        return;
      }
      const place = PLACES.flat().find(({ key }) => key === event.key);
      if (place && event.timeStamp - gAt < G_WITHIN_MS) void navigate({ to: place.to });
      gAt = 0;
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [navigate, run]);
}

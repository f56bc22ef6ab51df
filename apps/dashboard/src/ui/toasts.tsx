import { X } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { explainError } from '../api/carillon.js';

interface Toast {
  id: number;
  content: ReactNode;
  isError: boolean;
}

const SHOWN_FOR_MS = 6_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const listeners = new Set<() => void>();

function setToasts(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

const dismiss = (id: number) => setToasts(toasts.filter((toast) => toast.id !== id));

/** Shows a message at the edge of the page that an action was done or has failed. An error stays until it is closed. */
export function showToast(content: ReactNode, { isError = false } = {}): void {
  const id = nextId++;
  setToasts([...toasts, { id, content, isError }]);
  if (!isError) setTimeout(() => dismiss(id), SHOWN_FOR_MS);
}

export const showError = (error: unknown) => showToast(explainError(error), { isError: true });

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div
      aria-live="polite"
      className="fixed right-3 bottom-3 z-60 flex w-[min(380px,calc(100vw-24px))] flex-col gap-2"
    >
      {shown.map(({ id, content, isError }) => (
        <div
          key={id}
          className={`card flex items-start gap-2 px-3 py-2 text-sm shadow-lg ${isError ? '!border-fail' : ''}`}
        >
          <div className="min-w-0 flex-1 break-words">{content}</div>
          <button
            type="button"
            className="cursor-pointer p-0.5 text-soft"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <X size={14} aria-hidden="true" />
          </button>
        </div>
      ))}
    </div>
  );
}

import type { ReactNode } from 'react';
import { Dialog, DialogButtons } from './dialog.js';
import { Problem } from './parts.js';

/**
 * A dialog that asks for the inputs of an action and carries it out. If the API refuses, the dialog stays open and says
 * why.
 */
export function FormDialog({
  title,
  children,
  action,
  submit,
  canSubmit = true,
  isDanger = false,
  leave = 'Leave it',
  onClose,
}: {
  title: string;
  children: ReactNode;
  action: { mutate: () => void; isPending: boolean; error: unknown };
  submit: string;
  canSubmit?: boolean;
  isDanger?: boolean | undefined;
  leave?: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (canSubmit) action.mutate();
        }}
      >
        {children}
        {action.error !== null && <Problem error={action.error} />}
        <DialogButtons>
          <button type="button" className="btn" onClick={onClose}>
            {leave}
          </button>
          <button
            type="submit"
            className={`btn ${isDanger ? 'btn-danger' : 'btn-primary'}`}
            disabled={!canSubmit || action.isPending}
          >
            {submit}
          </button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

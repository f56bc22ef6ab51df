import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

/**
 * A dialog that is open as long as it is mounted. The focus stays inside until the dialog closes, and then returns to
 * its previous place.
 */
export function Dialog({
  title,
  children,
  onClose,
  isWide = false,
}: {
  title: ReactNode;
  children: ReactNode;
  onClose: () => void;
  isWide?: boolean;
}) {
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`dialog ${isWide ? '!w-[min(900px,calc(100vw-24px))]' : ''}`}>
          <Base.Title className="mb-3 !text-lg font-semibold">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export const DialogButtons = ({ children }: { children: ReactNode }) => (
  <div className="mt-5 flex flex-wrap justify-end gap-2">{children}</div>
);

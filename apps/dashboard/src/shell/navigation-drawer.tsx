import { Dialog as Base } from '@base-ui/react/dialog';
import { Navigation } from './navigation.js';

/** The navigation on a narrow screen. */
export const NavigationDrawer = ({ onClose }: { onClose: () => void }) => (
  <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
    <Base.Portal>
      <Base.Backdrop className="backdrop" />
      <Base.Popup className="fixed inset-y-0 left-0 z-50 w-64 overflow-y-auto border-r border-line bg-surface p-4">
        <Base.Title className="mb-3 px-2 !text-lg font-semibold">Carillon</Base.Title>
        <Navigation onGo={onClose} />
      </Base.Popup>
    </Base.Portal>
  </Base.Root>
);

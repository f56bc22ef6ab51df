import { Outlet } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useMe } from '../api/session.js';
import { Banners } from './banners.js';
import { Bell } from './bell.js';
import { Controls } from './controls.js';
import { Navigation } from './navigation.js';
import { type ShellCommand, useShortcuts } from './shortcuts.js';

const Palette = lazy(() => import('./palette.js').then(({ Palette }) => ({ default: Palette })));
const HelpSheet = lazy(() => import('./help-sheet.js').then(({ HelpSheet }) => ({ default: HelpSheet })));
const NavigationDrawer = lazy(() =>
  import('./navigation-drawer.js').then(({ NavigationDrawer }) => ({ default: NavigationDrawer })),
);

/** Navigation at the side, controls at the top, the page in between. */
export function Shell() {
  const { project, scopes } = useMe();
  const [opened, open] = useState<ShellCommand | 'navigation' | null>(null);
  const close = () => open(null);
  useShortcuts(open);
  const scope = scopes.includes('admin') ? 'admin' : scopes.includes('write') ? 'write' : 'read only';

  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[212px_minmax(0,1fr)]">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:bg-surface focus:p-2"
      >
        Skip to the page
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col gap-4 overflow-y-auto border-r border-line p-3 lg:flex">
        <div className="flex items-center gap-2 px-2 pt-1 text-lg font-semibold">
          <Bell />
          Carillon
        </div>
        <Navigation />
        <div className="mt-auto px-2.5 text-xs text-faint">
          <div className="truncate font-medium text-soft">{project}</div>
          {scope}
        </div>
      </aside>
      <div className="flex min-w-0 flex-col">
        <header className="sticky top-0 z-20 flex h-12 items-center gap-2 border-b border-line bg-ground px-3 md:px-5">
          <button
            type="button"
            className="btn btn-quiet btn-icon lg:hidden"
            aria-label="Open navigation"
            onClick={() => open('navigation')}
          >
            <MenuIcon size={18} aria-hidden="true" />
          </button>
          <button
            type="button"
            className="btn !justify-start !font-normal text-soft md:w-64"
            onClick={() => open('palette')}
            aria-keyshortcuts="Control+K"
          >
            <Search size={14} aria-hidden="true" />
            <span className="hidden sm:inline">Go to, or find a schedule</span>
            <span className="sm:hidden">Find</span>
            <kbd className="ml-auto hidden text-xs text-faint md:inline">Ctrl K</kbd>
          </button>
          <Controls onHelp={() => open('help')} />
        </header>
        <Banners />
        <main
          id="page"
          tabIndex={-1}
          className="mx-auto w-full max-w-[1400px] flex-1 px-3 py-5 outline-none md:px-5"
        >
          <Outlet />
        </main>
      </div>
      <Suspense>
        {opened === 'palette' && <Palette onClose={close} />}
        {opened === 'help' && <HelpSheet onClose={close} />}
        {opened === 'navigation' && <NavigationDrawer onClose={close} />}
      </Suspense>
    </div>
  );
}

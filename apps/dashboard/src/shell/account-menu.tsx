import { Menu } from '@base-ui/react/menu';
import { LogOut, UserRound } from 'lucide-react';
import { carillon } from '../api/carillon.js';
import { changePreferences } from '../api/preferences.js';
import { queries } from '../api/queries.js';
import { useMe } from '../api/session.js';
import { markSession } from '../api/session-mark.js';
import { THEMES } from './themes.js';

/**
 * Shows the key of the session and a button to sign out. A click on the account button mounts this menu, so it starts
 * open.
 */
export function AccountMenu() {
  const me = useMe();
  const signOut = async (isEverywhere: boolean) => {
    await (isEverywhere ? carillon.session.endAll() : carillon.session.end()).catch(() => {});
    markSession(false);
    queries.clear();
  };
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger className="btn btn-quiet btn-icon" aria-label="Account">
        <UserRound size={16} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className="z-50">
          <Menu.Popup className="menu">
            <div className="border-b border-line px-2.5 pt-1.5 pb-2">
              <div className="font-medium">{me.keyName}</div>
              <div className="text-xs text-faint">
                project {me.project} · {me.scopes.join(', ')}
              </div>
            </div>
            <div className="sm:hidden">
              {THEMES.map(({ theme, name, icon: Icon }) => (
                <Menu.Item key={theme} className="menu-item" onClick={() => changePreferences({ theme })}>
                  <Icon size={14} aria-hidden="true" />
                  {name}
                </Menu.Item>
              ))}
            </div>
            <Menu.Item className="menu-item mt-1" onClick={() => void signOut(false)}>
              <LogOut size={14} aria-hidden="true" />
              Sign out
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => void signOut(true)}>
              <LogOut size={14} aria-hidden="true" />
              Sign out everywhere
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

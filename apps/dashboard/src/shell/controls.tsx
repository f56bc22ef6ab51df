import { CircleHelp, CirclePause, CirclePlay, MonitorCog, UserRound } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useNow } from '../api/clock.js';
import { live, useLiveState } from '../api/live.js';
import { changePreferences, MY_ZONE, usePreferences, useZone, type ZoneChoice } from '../api/preferences.js';
import { queries } from '../api/queries.js';
import { formatMinute, shortZone } from '../format/time.js';
import { THEMES } from './themes.js';

const AccountMenu = lazy(() =>
  import('./account-menu.js').then(({ AccountMenu }) => ({ default: AccountMenu })),
);
const LIVE_WORDS = { live: 'Live', connecting: 'Connecting', lost: 'Stream lost', held: 'Held' };
const LIVE_TONES = { live: 'text-ok', connecting: 'text-soft', lost: 'text-fail', held: 'text-wait' };

/** The controls in the header: clock and time zone, the switch for live updates, theme, help, account. */
export function Controls({ onHelp }: { onHelp: () => void }) {
  return (
    <div className="ml-auto flex items-center gap-1">
      <Clock />
      <LiveSwitch />
      <ThemeSwitch />
      <button
        type="button"
        className="btn btn-quiet btn-icon hidden sm:inline-flex"
        aria-label="Keyboard shortcuts"
        onClick={onHelp}
      >
        <CircleHelp size={16} aria-hidden="true" />
      </button>
      <Account />
    </div>
  );
}

function Clock() {
  const now = useNow();
  const zone = useZone();
  const { zone: choice } = usePreferences();
  return (
    <label
      className="flex items-center gap-1.5 text-sm text-soft"
      title="The time by Postgres's clock, which decides what is due"
    >
      <span className="hidden md:inline">
        {formatMinute(now, zone)} {shortZone(now, zone)}
      </span>
      <span className="sr-only">Show times in</span>
      <select
        className="h-[30px] max-w-40 cursor-pointer rounded-md border border-line bg-surface px-1 text-sm text-ink"
        value={choice}
        onChange={(event) => changePreferences({ zone: event.target.value as ZoneChoice })}
      >
        <option value="schedule">Schedule’s zone</option>
        <option value="mine">My zone ({MY_ZONE})</option>
        <option value="utc">UTC</option>
      </select>
    </label>
  );
}

function LiveSwitch() {
  const state = useLiveState();
  const isHeld = state === 'held';
  const Icon = isHeld ? CirclePlay : CirclePause;
  return (
    <button
      type="button"
      className={`btn btn-quiet ${LIVE_TONES[state]}`}
      aria-pressed={isHeld}
      title={
        isHeld
          ? 'Updates are paused. Press to resume them.'
          : 'The page updates itself. Press to pause the updates.'
      }
      onClick={() => {
        live.hold(!isHeld);
        if (isHeld) void queries.invalidateQueries();
      }}
    >
      <Icon size={15} aria-hidden="true" />
      <span className="hidden sm:inline">{LIVE_WORDS[state]}</span>
      <span className="sr-only sm:hidden">{LIVE_WORDS[state]}</span>
    </button>
  );
}

function ThemeSwitch() {
  const { theme } = usePreferences();
  const index = THEMES.findIndex((each) => each.theme === theme);
  const Icon = THEMES[index]?.icon ?? MonitorCog;
  const next = THEMES[(index + 1) % THEMES.length];
  return (
    <button
      type="button"
      className="btn btn-quiet btn-icon hidden sm:inline-flex"
      aria-label={`Theme: ${THEMES[index]?.name}. Change to: ${next?.name}`}
      onClick={() => next && changePreferences({ theme: next.theme })}
    >
      <Icon size={16} aria-hidden="true" />
    </button>
  );
}

/** The account button. Its menu is loaded when it is first opened. */
function Account() {
  const [isOpened, setIsOpened] = useState(false);
  const button = (
    <button
      type="button"
      className="btn btn-quiet btn-icon"
      aria-label="Account"
      aria-haspopup="menu"
      onClick={() => setIsOpened(true)}
    >
      <UserRound size={16} aria-hidden="true" />
    </button>
  );
  return isOpened ? (
    <Suspense fallback={button}>
      <AccountMenu />
    </Suspense>
  ) : (
    button
  );
}

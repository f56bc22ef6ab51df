import { Link } from '@tanstack/react-router';
import {
  Activity,
  BellRing,
  CalendarDays,
  CalendarX2,
  ChartNoAxesColumn,
  ExternalLink,
  Gauge,
  History,
  Inbox,
  KeyRound,
  type LucideIcon,
  ScrollText,
  Users,
} from 'lucide-react';
import { useMe } from '../api/session.js';

interface Place {
  to:
    | '/'
    | '/schedules'
    | '/runs'
    | '/dead-letters'
    | '/forecast'
    | '/alerts'
    | '/calendars'
    | '/people'
    | '/audit'
    | '/keys'
    | '/system';
  name: string;
  icon: LucideIcon;
  /** The second key of the keyboard shortcut. The first key is g. */
  key: string;
  isForAdmins?: boolean;
}

export const PLACES: readonly (readonly Place[])[] = [
  [
    { to: '/', name: 'Overview', icon: Gauge, key: 'o' },
    { to: '/schedules', name: 'Schedules', icon: CalendarDays, key: 's' },
    { to: '/runs', name: 'Runs', icon: History, key: 'r' },
    { to: '/dead-letters', name: 'Dead letters', icon: Inbox, key: 'd' },
    { to: '/alerts', name: 'Alerts', icon: BellRing, key: 'l' },
    { to: '/forecast', name: 'Forecast', icon: ChartNoAxesColumn, key: 'f' },
  ],
  [
    { to: '/calendars', name: 'Calendars', icon: CalendarX2, key: 'c' },
    { to: '/people', name: 'People and tasks', icon: Users, key: 'p' },
  ],
  [
    { to: '/audit', name: 'Audit', icon: ScrollText, key: 'a' },
    { to: '/keys', name: 'Keys', icon: KeyRound, key: 'k', isForAdmins: true },
    { to: '/system', name: 'Workers and system', icon: Activity, key: 'w' },
  ],
];

const LINK = 'flex items-center gap-2.5 rounded-md px-2.5 py-[5px] text-soft hover:bg-sunken hover:text-ink';
const HERE = { className: 'bg-accent-weak !text-ink font-medium', 'aria-current': 'page' as const };

export function Navigation({ onGo }: { onGo?: () => void }) {
  const { isOperator, scopes } = useMe();
  const isAdmin = scopes.includes('admin');
  return (
    <nav aria-label="Pages" className="flex flex-col gap-3 text-sm">
      {PLACES.map((group) => (
        <ul key={group[0]?.name} className="flex flex-col gap-px">
          {group
            .filter(({ isForAdmins }) => isAdmin || !isForAdmins)
            .map(({ to, name, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  className={LINK}
                  activeProps={HERE}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  onClick={onGo}
                >
                  <Icon size={15} aria-hidden="true" />
                  {name}
                </Link>
              </li>
            ))}
        </ul>
      ))}
      <ul className="flex flex-col gap-px">
        {isOperator && (
          <li>
            <a href="/queues" className={LINK} target="_blank" rel="noreferrer">
              <ExternalLink size={15} aria-hidden="true" />
              Bull Board
            </a>
          </li>
        )}
        <li>
          <a href="/guide/" className={LINK} target="_blank" rel="noreferrer">
            <ExternalLink size={15} aria-hidden="true" />
            Guide
          </a>
        </li>
        <li>
          <a href="/docs" className={LINK} target="_blank" rel="noreferrer">
            <ExternalLink size={15} aria-hidden="true" />
            API reference
          </a>
        </li>
      </ul>
    </nav>
  );
}

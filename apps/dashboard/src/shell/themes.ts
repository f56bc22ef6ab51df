import { MonitorCog, Moon, Sun } from 'lucide-react';
import type { Theme } from '../api/preferences.js';

export const THEMES: readonly { theme: Theme; name: string; icon: typeof Sun }[] = [
  { theme: 'system', name: 'As the system', icon: MonitorCog },
  { theme: 'light', name: 'Light', icon: Sun },
  { theme: 'dark', name: 'Dark', icon: Moon },
];

import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import {
  type AttentionKind,
  SCHEDULE_STATUSES,
  type SchedulesFilter,
  type SchedulesSearch,
  TARGETS,
} from '../search.js';
import { FilterChip } from '../ui/parts.js';
import { Instant } from '../ui/times.js';

const route = getRouteApi('/schedules');
const TYPING_PAUSE_MS = 200;
const NAMES: Record<keyof SchedulesFilter, string> = {
  q: 'text',
  status: 'status',
  tag: 'tag',
  target: 'target',
  dueBefore: 'due before',
  dueAfter: 'due after',
  attention: 'needs attention',
};
const REASONS: Record<AttentionKind, string> = {
  failing: 'failed within the last day',
  paused: 'paused by Carillon',
  overdue: 'overdue',
  blocked: 'waits for an open circuit',
  breaching: 'breaches an objective',
};

/** Search while typing, and filters as chips that can be removed. The URL holds all of them. */
export function ScheduleFilters() {
  const filter: SchedulesSearch = route.useSearch();
  const navigate = useNavigate({ from: '/schedules' });
  const [text, setText] = useState(filter.q ?? '');
  const set = (change: Partial<SchedulesSearch>) =>
    void navigate({ to: '/schedules', search: { ...filter, ...change }, replace: true });

  useEffect(() => {
    if (text === (filter.q ?? '')) return;
    const timer = setTimeout(() => set({ q: text === '' ? undefined : text }), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);

  const held = (Object.keys(NAMES) as (keyof SchedulesFilter)[]).filter(
    (name) => filter[name] !== undefined && name !== 'q',
  );
  return (
    <div className="flex flex-wrap items-center gap-2">
      <div className="relative w-full sm:w-72">
        <Search size={14} className="absolute top-2.5 left-2.5 text-faint" aria-hidden="true" />
        <input
          type="search"
          className="field !pl-8"
          placeholder="Name or id"
          aria-label="Search schedules by name or id"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <Choice
        name="Status"
        value={filter.status}
        options={SCHEDULE_STATUSES}
        onChange={(status) => set({ status })}
      />
      <Choice name="Target" value={filter.target} options={TARGETS} onChange={(target) => set({ target })} />
      {held.map((name) => (
        <FilterChip
          key={name}
          name={NAMES[name]}
          onRemove={() => {
            set({ [name]: undefined });
          }}
        >
          {NAMES[name]}: {wordsOf(filter, name)}
        </FilterChip>
      ))}
    </div>
  );
}

function wordsOf(filter: SchedulesFilter, name: keyof SchedulesFilter): ReactNode {
  if (name === 'attention') return filter.attention && REASONS[filter.attention];
  return name.startsWith('due') ? <Instant at={filter[name] ?? null} /> : filter[name];
}

/** A native select. While nothing is chosen, it shows the name of the filter. */
export function Choice<T extends string>({
  name,
  value,
  options,
  onChange,
}: {
  name: string;
  value: T | undefined;
  options: readonly T[];
  onChange: (value: T | undefined) => void;
}) {
  return (
    <select
      className="field !w-auto cursor-pointer"
      aria-label={name}
      value={value ?? ''}
      onChange={({ target }) => onChange(options.find((each) => each === target.value))}
    >
      <option value="">{name}: any</option>
      {options.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  );
}

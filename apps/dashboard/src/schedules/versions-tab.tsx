import type { ScheduleVersion } from '@carillon/client';
import { Problem, SkeletonRows } from '../ui/parts.js';
import { Instant } from '../ui/times.js';
import { diffDefinitions } from './diff-definitions.js';
import { useVersions } from './use-schedule.js';

/**
 * Every definition that the schedule has had: its author, its time, the changed fields, and how the next occurrences
 * moved.
 */
export function VersionsTab({ id }: { id: string }) {
  const versions = useVersions(id);
  if (versions.isPending) return <SkeletonRows rows={4} />;
  if (versions.error) return <Problem error={versions.error} retry={() => void versions.refetch()} />;
  const { items } = versions.data;
  return (
    <ol>
      {items.map((version, index) => (
        <Version key={version.version} version={version} before={items[index + 1] ?? null} />
      ))}
    </ol>
  );
}

function Version({ version, before }: { version: ScheduleVersion; before: ScheduleVersion | null }) {
  const changes = before ? diffDefinitions(before, version) : [];
  const hasMoved = version.nextBefore !== null && version.next.join() !== version.nextBefore.join();
  return (
    <li className="border-b border-line px-4 py-3 last:border-0">
      <div className="flex flex-wrap items-baseline gap-x-3 text-sm">
        <span className="font-semibold">Version {version.version}</span>
        <span className="text-soft">
          by {version.definedBy}, <Instant at={version.definedAt} zone={version.timezone} />
        </span>
        {version.supersededAt === null && <span className="chip">holds now</span>}
      </div>
      {before === null ? (
        <p className="mt-1 text-sm text-soft">The first definition.</p>
      ) : changes.length === 0 ? (
        <p className="mt-1 text-sm text-soft">The definition is the same as before.</p>
      ) : (
        <ul className="mt-2 flex flex-col gap-1 text-sm">
          {changes.map(({ field, before: was, after }) => (
            <li key={field} className="grid gap-x-3 sm:grid-cols-[120px_minmax(0,1fr)]">
              <span className="text-faint">{field}</span>
              <span className="min-w-0 break-words">
                <del className="text-fail decoration-1">{was}</del> <span aria-hidden="true">→</span>{' '}
                <ins className="text-ok no-underline">{after}</ins>
              </span>
            </li>
          ))}
        </ul>
      )}
      {hasMoved && (
        <div className="mt-2 grid max-w-xl grid-cols-2 gap-4 text-sm">
          <Times
            title="Would have fired"
            times={version.nextBefore ?? []}
            zone={before?.timezone ?? version.timezone}
          />
          <Times title="Fires instead" times={version.next} zone={version.timezone} />
        </div>
      )}
    </li>
  );
}

const Times = ({ title, times, zone }: { title: string; times: readonly string[]; zone: string }) => (
  <div>
    <div className="text-xs text-faint">{title}</div>
    {times.length === 0 && <div className="text-soft">nothing</div>}
    {times.map((at) => (
      <div key={at}>
        <Instant at={at} zone={zone} />
      </div>
    ))}
  </div>
);

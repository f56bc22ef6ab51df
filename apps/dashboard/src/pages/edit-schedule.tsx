import type { Schedule } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { carillon, isConflict } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { Conflict } from '../schedules/conflict.js';
import { draftOf, patchOf } from '../schedules/draft.js';
import { ManagedNotice } from '../schedules/managed-by.js';
import { ScheduleForm } from '../schedules/schedule-form.js';
import { readDraftBase, useDraft } from '../schedules/use-draft.js';
import { Empty, PageTitle, Problem, SkeletonRows } from '../ui/parts.js';
import { showToast } from '../ui/toasts.js';

const route = getRouteApi('/schedules/$id/edit');

export function EditSchedule() {
  const { id }: { id: string } = route.useParams();
  const canWrite = useCan('write');
  // The schedule is read only once, because a refresh during the edit would replace the version that the edit is based
  // on.
  const schedule = useQuery({
    queryKey: ['edit', id],
    queryFn: ({ signal }) => carillon.schedules.get(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  if (!canWrite) return <Empty title="This key lacks the scope write" />;
  if (schedule.isPending) return <SkeletonRows />;
  if (schedule.error) return <Problem error={schedule.error} retry={() => void schedule.refetch()} />;
  return <Editor key={id} read={schedule.data} />;
}

function Editor({ read }: { read: Schedule }) {
  const navigate = useNavigate();
  const [base, setBase] = useState(() => readDraftBase(read.id) ?? read);
  const [theirs, setTheirs] = useState<Schedule | null>(null);
  const initial = useMemo(() => draftOf(base), [base]);
  const { draft, isRestored, change, forget, reset } = useDraft(read.id, initial, base);
  const show = () => navigate({ to: '/schedules/$id', params: { id: read.id } });
  const save = useMutation({
    mutationFn: (version: number) =>
      carillon.schedules.update(read.id, patchOf(draft, base), { ifMatch: version }),
    onSuccess: () => {
      forget();
      void queries.invalidateQueries({ queryKey: ['schedule', read.id] });
      void queries.invalidateQueries({ queryKey: ['schedules'] });
      showToast(`Saved ${read.name ?? read.id}.`);
      void show();
    },
    onError: async (error) => {
      if (isConflict(error)) setTheirs(await carillon.schedules.get(read.id));
    },
  });
  return (
    <>
      <PageTitle
        title={`Edit ${read.name ?? read.id}`}
        lead={isRestored ? 'Your draft was kept.' : undefined}
      />
      <ManagedNotice schedule={base} />
      <ScheduleForm
        draft={draft}
        onChange={change}
        onSubmit={() => save.mutate(base.version)}
        error={isConflict(save.error) ? null : save.error}
        isSaving={save.isPending}
        isNew={false}
        buttons={
          <Link to="/schedules/$id" params={{ id: read.id }} className="btn" onClick={forget}>
            Leave it as it was
          </Link>
        }
      />
      {theirs && (
        <Conflict
          base={base}
          theirs={theirs}
          draft={draft}
          onClose={() => setTheirs(null)}
          onKeepMine={() => {
            setTheirs(null);
            save.mutate(theirs.version);
          }}
          onTakeTheirs={() => {
            setBase(theirs);
            reset(draftOf(theirs));
            setTheirs(null);
          }}
        />
      )}
    </>
  );
}

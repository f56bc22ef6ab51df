import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { carillon } from '../api/carillon.js';
import { MY_ZONE } from '../api/preferences.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { type Draft, EMPTY_DRAFT, requestOf } from '../schedules/draft.js';
import { ScheduleForm } from '../schedules/schedule-form.js';
import { useDraft } from '../schedules/use-draft.js';
import { Empty, PageTitle } from '../ui/parts.js';
import { showToast } from '../ui/toasts.js';

const BLANK: Draft = { ...EMPTY_DRAFT, timezone: MY_ZONE };

export function NewSchedule() {
  const canWrite = useCan('write');
  const navigate = useNavigate();
  const { draft, isRestored, change, forget, reset } = useDraft('new', BLANK);
  const create = useMutation({
    mutationFn: () => carillon.schedules.create(requestOf(draft)),
    onSuccess: (made) => {
      forget();
      void queries.invalidateQueries({ queryKey: ['schedules'] });
      showToast(`Created ${made.name ?? made.id}.`);
      void navigate({ to: '/schedules/$id', params: { id: made.id } });
    },
  });
  if (!canWrite)
    return <Empty title="This key lacks the scope write">It can look at schedules, and make none.</Empty>;
  return (
    <>
      <PageTitle title="New schedule" lead={isRestored ? 'Your draft was kept.' : undefined} />
      <ScheduleForm
        draft={draft}
        onChange={change}
        onSubmit={() => create.mutate()}
        error={create.error}
        isSaving={create.isPending}
        isNew
        buttons={
          <button
            type="button"
            className="btn"
            onClick={() => {
              reset(BLANK);
              create.reset();
            }}
          >
            Start over
          </button>
        }
      />
    </>
  );
}

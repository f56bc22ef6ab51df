import type { Calendar } from '@carillon/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { carillon, fieldError } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { Field, TextAreaField, TextField } from '../ui/field.js';
import { FormDialog } from '../ui/form-dialog.js';
import { ActionHead, Empty, PageTitle, QueryState } from '../ui/parts.js';
import { Ago } from '../ui/times.js';
import { showError, showToast } from '../ui/toasts.js';

const DATES_SHOWN = 6;
const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** Named dates on which nothing fires. */
export function Calendars() {
  const canWrite = useCan('write');
  const [edited, edit] = useState<Calendar | 'new' | null>(null);
  const calendars = useQuery({
    queryKey: ['calendars'],
    queryFn: ({ signal }) => carillon.calendars.list({ limit: 1_000 }, { signal }).page(),
  });
  const remove = useMutation({
    mutationFn: (name: string) => carillon.calendars.delete(name),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['calendars'] }),
    onError: showError,
  });
  return (
    <>
      <PageTitle
        title="Calendars"
        lead="Dates on which nothing fires, under a name that schedules list among their exclusions."
      >
        {canWrite && (
          <button type="button" className="btn btn-primary" onClick={() => edit('new')}>
            <Plus size={15} aria-hidden="true" />
            New calendar
          </button>
        )}
      </PageTitle>
      <div className="card overflow-hidden">
        <QueryState query={calendars} rows={4} />
        {calendars.data?.items.length === 0 && (
          <Empty title="No calendars yet">
            A calendar holds public holidays, a freeze, or any dates that many schedules leave out.
          </Empty>
        )}
        {calendars.data && calendars.data.items.length > 0 && (
          <table className="rows">
            <thead>
              <tr>
                <th>Name</th>
                <th>Dates</th>
                <th>Changed</th>
                {canWrite && <ActionHead />}
              </tr>
            </thead>
            <tbody>
              {calendars.data.items.map((calendar) => (
                <tr key={calendar.name}>
                  <td data-label="Name" className="font-medium whitespace-nowrap">
                    {calendar.name}
                  </td>
                  <td data-label="Dates" className="w-full">
                    <span>
                      {calendar.weekends.map((weekday) => `${weekday}s, `).join('')}
                      {calendar.dates.slice(0, DATES_SHOWN).join(', ')}
                      {calendar.dates.length > DATES_SHOWN &&
                        ` and ${calendar.dates.length - DATES_SHOWN} more`}
                    </span>
                  </td>
                  <td data-label="Changed">
                    <Ago at={calendar.updatedAt} />
                  </td>
                  {canWrite && (
                    <td data-label="">
                      <span className="flex gap-1">
                        <button type="button" className="btn" onClick={() => edit(calendar)}>
                          Edit
                        </button>
                        <button
                          type="button"
                          className="btn btn-danger"
                          onClick={() => remove.mutate(calendar.name)}
                        >
                          Delete
                        </button>
                      </span>
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
      {edited && <CalendarDialog calendar={edited === 'new' ? null : edited} onClose={() => edit(null)} />}
    </>
  );
}

function CalendarDialog({ calendar, onClose }: { calendar: Calendar | null; onClose: () => void }) {
  const [name, setName] = useState(calendar?.name ?? '');
  const [dates, setDates] = useState(calendar?.dates.join('\n') ?? '');
  const [weekends, setWeekends] = useState(calendar?.weekends ?? []);
  const [ics, setIcs] = useState<string | null>(null);
  const save = useMutation({
    mutationFn: () =>
      ics === null
        ? carillon.calendars.set(name, { dates: dates.split(/[\s,]+/).filter(Boolean), weekends })
        : carillon.calendars.import(name, { ics, weekends }),
    onSuccess: ({ retiming }) => {
      onClose();
      void queries.invalidateQueries({ queryKey: ['calendars'] });
      showToast(`Saved ${name}. ${retiming} schedules that name it are being re-timed.`);
    },
  });
  return (
    <FormDialog
      title={calendar ? `Edit ${calendar.name}` : 'New calendar'}
      action={save}
      submit="Save"
      canSubmit={name !== ''}
      onClose={onClose}
    >
      <TextField
        label="Name"
        error={fieldError(save.error, 'name')}
        required
        disabled={calendar !== null}
        value={name}
        onChange={setName}
      />
      <TextAreaField
        label="Dates"
        hint="One per line: 2026-12-25, or a range such as 2026-12-31/2027-01-01."
        error={fieldError(save.error, 'dates')}
        rows={8}
        value={dates}
        onChange={setDates}
      />
      <fieldset className="flex flex-wrap gap-3">
        <legend className="text-sm font-medium">Weekend</legend>
        {WEEKDAYS.map((weekday) => (
          <label key={weekday} className="flex items-center gap-1">
            <input
              type="checkbox"
              checked={weekends.includes(weekday)}
              onChange={({ target }) =>
                setWeekends(
                  target.checked ? [...weekends, weekday] : weekends.filter((each) => each !== weekday),
                )
              }
            />
            {weekday}
          </label>
        ))}
      </fieldset>
      <Field
        label="Import"
        hint="An .ics file with holidays. Its days replace the dates above."
        error={fieldError(save.error, 'ics')}
      >
        <input
          className="field"
          type="file"
          accept=".ics,text/calendar"
          onChange={({ target }) => void target.files?.[0]?.text().then(setIcs)}
        />
      </Field>
    </FormDialog>
  );
}

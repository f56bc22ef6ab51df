import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { carillon } from '../api/carillon.js';
import { queries } from '../api/queries.js';
import { useCan } from '../api/session.js';
import { runWords } from '../runs/run-table.js';
import { asCurl, asTypeScript } from '../schedules/as-request.js';
import { Code } from '../ui/code.js';
import { Field } from '../ui/field.js';
import { OutcomeWord } from '../ui/outcome.js';
import { Card, Problem } from '../ui/parts.js';
import { Countdown, Instant } from '../ui/times.js';

const WAYS = ['curl', 'TypeScript', 'CLI'] as const;

/**
 * Helps to create a first schedule in ten seconds. Shows a form that is already filled in, then the run as it happens,
 * and the same request as curl, TypeScript and command line.
 */
export function FirstSchedule() {
  const canWrite = useCan('write');
  const [seconds, setSeconds] = useState('10');
  const [name, setName] = useState('My first schedule');
  const [way, setWay] = useState<(typeof WAYS)[number]>('curl');
  const body = {
    name,
    rule: { in: `PT${seconds || '10'}S` },
    target: { type: 'handler' as const, name: 'log' },
    payload: { hello: 'world' },
  };
  const create = useMutation({
    mutationFn: () => carillon.schedules.create(body),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['schedules'] }),
  });
  const texts = {
    curl: asCurl(body),
    TypeScript: asTypeScript(body),
    CLI: `npx carillon schedules create --name '${name}' --in ${seconds || '10'}s --target handler:log --payload '{"hello":"world"}'`,
  };
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <Card title="Your first schedule">
        {create.data ? (
          <Watch id={create.data.id} nextRunAt={create.data.nextRunAt} />
        ) : canWrite ? (
          <form
            className="flex flex-col gap-3"
            onSubmit={(event) => {
              event.preventDefault();
              create.mutate();
            }}
          >
            <p className="text-sm text-soft">
              A schedule names the instants at which something is to happen. This one names a single instant,
              a few seconds from now, and is delivered to the handler <code>log</code>, which writes it to the
              worker's log.
            </p>
            <Field label="Name">
              <input className="field" value={name} onChange={({ target }) => setName(target.value)} />
            </Field>
            <Field label="Fires in (seconds)">
              <input
                className="field !w-28"
                type="number"
                min={1}
                max={3_600}
                value={seconds}
                onChange={({ target }) => setSeconds(target.value)}
              />
            </Field>
            {create.error && <Problem error={create.error} />}
            <div className="flex items-center gap-3">
              <button type="submit" className="btn btn-primary" disabled={create.isPending}>
                Create and watch it fire
              </button>
              <Link to="/schedules/new" className="link text-sm">
                or write your own
              </Link>
            </div>
          </form>
        ) : (
          <p className="text-sm text-soft">
            There are no schedules yet. This key lacks the scope write, so it can’t make one.
          </p>
        )}
      </Card>
      <Card
        title="The same request from a program"
        side={WAYS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === way}
            className={`btn ${each === way ? '!bg-accent-weak' : 'btn-quiet'}`}
            onClick={() => setWay(each)}
          >
            {each}
          </button>
        ))}
      >
        <Code text={texts[way]} label={`the same as ${way}`} />
      </Card>
    </div>
  );
}

/** Counts down to the first occurrence of a new schedule, and then shows its run until it has ended. */
function Watch({ id, nextRunAt }: { id: string; nextRunAt: string | null }) {
  const runs = useQuery({
    queryKey: ['schedule', id, 'watched'],
    queryFn: ({ signal }) => carillon.runs.list({ schedule: id, limit: 1 }, { signal }).page(),
    refetchInterval: 1_000,
  });
  const [run] = runs.data?.items ?? [];
  return (
    <div className="flex flex-col gap-3" aria-live="polite">
      {run ? (
        <>
          <p className="text-lg">
            <OutcomeWord outcome={run.status} /> <span className="ml-1 text-base">{runWords(run)}</span>
          </p>
          <p className="text-sm text-soft">
            It was due at <Instant at={run.dueAt} />, and began{' '}
            {run.latenessMs === null ? 'a moment' : `${run.latenessMs} ms`} later.
          </p>
        </>
      ) : (
        <p className="text-lg font-semibold">
          {nextRunAt && <Countdown at={nextRunAt} prefix="Fires in " />}
        </p>
      )}
      <div className="flex gap-2">
        <Link to="/schedules/$id" params={{ id }} className="btn btn-primary">
          See its ledger
        </Link>
        <Link to="/schedules/new" className="btn">
          Write another
        </Link>
      </div>
    </div>
  );
}

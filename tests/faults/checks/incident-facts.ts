import type { Stage } from '../harness/stage.js';

export interface Step {
  at: string;
  until: string | null;
  kind: string;
  text: string;
  actor: string | null;
  attempt: number | null;
  outcome: string | null;
  reasonCode: string | null;
  count: number;
  version: number | null;
}

/** An entry of the ledger, which lists the occurrences of a schedule with their outcomes. */
export interface Entry {
  at: string;
  status: string;
  origin: string;
  why: string;
  runId: string | null;
  version: number;
  story: Step[];
}

/** A run with its attempts, as the API returns it. */
export interface IncidentRun {
  id: string;
  scheduleId: string;
  status: string;
  dueAt: string;
  latenessMs: number | null;
  attemptCount: number;
  why: string;
  story: Step[];
  attempts: {
    number: number;
    startedAt: string;
    finishedAt: string | null;
    outcome: string;
    errorCode: string | null;
    workerId: number | null;
  }[];
}

/** All runs of a scenario, and the ledgers of their schedules, as the API returns them. */
export interface IncidentFacts {
  runs: IncidentRun[];
  /** The ledger of each schedule, newest first. */
  ledgers: Map<string, Entry[]>;
}

/** The figures that `/metrics` and `/v1/system` report. */
export interface Figures {
  /** The samples of `/metrics`, by name and labels. */
  metrics: Map<string, number>;
  /** The figures of `/v1/system` for the last day. */
  day: { lateness: { count: number; p50Ms: number | null; p99Ms: number | null }; failed: { count: number } };
}

/** Reads the runs of the schedules that the scenario has made so far, through the API. */
export async function readIncident({ installation, mark }: Stage): Promise<IncidentFacts> {
  const { pool, clients } = installation;
  const { rows } = await pool.query<{ key: string; project: 'alpha' | 'beta' }>(
    `select s.key, p.key as project from carillon.schedules s join carillon.projects p on p.id = s.project_id
     where s.id > $1 order by s.id`,
    [mark.sinceId],
  );
  const facts: IncidentFacts = { runs: [], ledgers: new Map() };
  for (const { key, project } of rows) {
    const { body } = await clients[project].ask('GET', `/v1/schedules/${key}/ledger?order=desc&limit=1000`);
    facts.ledgers.set(key, body.items);
    for (const { runId, status } of body.items as Entry[]) {
      if (runId === null || status === 'skipped') continue;
      facts.runs.push((await clients[project].ask('GET', `/v1/runs/${runId}`)).body);
    }
  }
  return facts;
}

export async function readFigures({ installation: { admin, api } }: Stage): Promise<Figures> {
  const { body } = await admin.ask('GET', '/v1/system');
  return { metrics: await readMetrics(api.url), day: body.windows.day };
}

async function readMetrics(url: string): Promise<Map<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const samples = text.split('\n').filter((line) => line.startsWith('carillon_'));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

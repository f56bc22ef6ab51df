import type { PostgresClock } from '@carillon/queue';
import { attemptKey, encodeRunId, type Outcome } from '@carillon/shared';
import type { Flight } from '../../pipeline/in-flight.js';
import type { TargetDeliver } from '../../pipeline/pipeline.js';
import type { Traffic } from '../traffic/traffic.js';
import type { Poster } from './post.js';
import { outcomeOf } from './webhook.js';

export interface CallSettings {
  baseUrl: string;
  apiKey: string | null;
  assistantId: string | null;
  phoneNumberId: string | null;
}

export interface CallParts {
  poster: Poster;
  traffic: Traffic;
  clock: PostgresClock;
  settings: CallSettings;
}

/** Asks Vapi, a telephone service, to call a number. The id of the phone call becomes the run's external id. */
export function deliverByCall({ poster, traffic, clock, settings }: CallParts): TargetDeliver {
  const url = `${settings.baseUrl.replace(/\/+$/, '')}/call`;
  const { origin } = new URL(url);
  return async (flight) => {
    const { run } = flight;
    const body = callOf(run, settings);
    if ('missing' in body) return unconfigured(body.missing);
    const { timeoutMs } = run.plan;
    return traffic.pass({ projectId: run.projectId, origin, timeoutMs, signal: flight }, async () => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${settings.apiKey}` };
      const { projectId } = run;
      const text = JSON.stringify(body);
      const onConnect = () => flight.connect(clock.now());
      const onSend = () => flight.begin(clock.now());
      const request = { projectId, url, headers, body: text, signal: flight, onConnect, onSend };
      const result = await poster.post(request);
      const outcome = outcomeOf(result, clock.now());
      // A 410 from Vapi is about an assistant or a phone number, so it does not pause the schedule as a 410 from a
      // webhook does.
      return outcome.kind === 'failed' ? { ...outcome, isGone: false } : outcome;
    });
  };
}

function callOf(run: Flight['run'], settings: CallSettings) {
  const { target } = run.plan;
  if (target.type !== 'call') throw new Error('not a call');
  const assistantId = target.assistantId ?? settings.assistantId;
  const phoneNumberId = target.phoneNumberId ?? settings.phoneNumberId;
  if (settings.apiKey === null) return { missing: 'VAPI_API_KEY' };
  if (assistantId === null) return { missing: 'VAPI_ASSISTANT_ID' };
  if (phoneNumberId === null) return { missing: 'VAPI_PHONE_NUMBER_ID' };
  const runId = encodeRunId(run);
  return {
    assistantId,
    phoneNumberId,
    customer: { number: target.number },
    metadata: { idempotency_key: attemptKey(runId, run.attempt, run.epoch), run_id: runId },
    ...variablesOf(run.payload),
  };
}

/** Returns the payload as the variables of the assistant. */
function variablesOf(payload: string | null) {
  const value: unknown = payload === null ? null : JSON.parse(payload);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? { assistantOverrides: { variableValues: value } } : {};
}

const unconfigured = (variable: string): Outcome => ({
  kind: 'failed',
  isTransient: false,
  errorCode: 'not_configured',
  error: `calls need ${variable}, which this worker was started without`,
});

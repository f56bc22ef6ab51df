import type { Schedule } from '@carillon/client';
import { useState } from 'react';
import { objectiveWords } from '../alerts/objective-words.js';
import { durationWords } from '../format/time.js';
import { Code } from '../ui/code.js';
import { Facts } from '../ui/parts.js';
import { Instant } from '../ui/times.js';
import { asCurl, asTypeScript, definitionOf } from './as-request.js';
import { targetWords } from './target-words.js';

const FORMS = ['In words', 'JSON', 'curl', 'TypeScript'] as const;

export function DefinitionTab({ schedule, text }: { schedule: Schedule; text: string }) {
  const [form, setForm] = useState<(typeof FORMS)[number]>('In words');
  const body = definitionOf(schedule);
  return (
    <div className="p-4">
      <div className="mb-3 flex flex-wrap gap-1" role="group" aria-label="Form of the definition">
        {FORMS.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === form}
            className={`btn ${each === form ? '!bg-accent-weak' : 'btn-quiet'}`}
            onClick={() => setForm(each)}
          >
            {each}
          </button>
        ))}
      </div>
      {form === 'In words' && <Words schedule={schedule} text={text} />}
      {form === 'JSON' && <Code text={JSON.stringify(body, null, 2)} label="definition as JSON" />}
      {form === 'curl' && <Code text={asCurl(body)} label="definition as curl" />}
      {form === 'TypeScript' && <Code text={asTypeScript(body)} label="definition as TypeScript" />}
    </div>
  );
}

const MISFIRE = {
  once: 'If occurrences were missed, the latest of them runs once.',
  all: 'Every occurrence that was missed is caught up.',
  skip: 'An occurrence that was missed is skipped.',
};
const OVERLAP = {
  allow: 'Runs may overlap.',
  skip: 'While a run is under way, the next occurrence is skipped.',
  queue: 'While a run is under way, the next one waits for it.',
  cancel: 'A new run cancels the one under way.',
};

/** A rule in one line, such as `cron 30 2 * * *`. */
const ruleWords = (rule: Schedule['rule']) =>
  Object.entries(rule)
    .map(([kind, value]) => `${kind} ${value}`)
    .join(', ');

function Words({ schedule, text }: { schedule: Schedule; text: string }) {
  const { misfire, retry, dst, timezone, target } = schedule;
  return (
    <Facts
      facts={[
        ['Rule', `${text} (${ruleWords(schedule.rule)})`],
        ['Zone', timezone],
        [
          'Clock changes',
          `A time that the clocks skip is ${dst.gap === 'shift' ? 'moved to the next valid instant' : 'skipped'}; one that comes twice fires ${dst.overlap === 'both' ? 'both times' : `the ${dst.overlap} time`}.`,
        ],
        [
          'Target',
          target.type === 'webhook' ? `${target.method ?? 'POST'} ${target.url}` : targetWords(target),
        ],
        [
          'Missed',
          `${MISFIRE[misfire.policy]} Missed means later than ${durationWords(misfire.grace)}; at most ${misfire.limit}.`,
        ],
        [
          'Overlap',
          `${OVERLAP[schedule.overlap]}${schedule.maxConcurrentRuns === null ? '' : ` At most ${schedule.maxConcurrentRuns} at a time.`}`,
        ],
        [
          'Retries',
          `Up to ${retry.maxAttempts} attempts: the first retry after ${durationWords(retry.baseDelay)}, doubling up to ${durationWords(retry.maxDelay)}${retry.jitter ? ', with jitter' : ''}.`,
        ],
        ['Time-out', durationWords(schedule.timeout)],
        ...(schedule.jitter === null ? [] : [['Jitter', `up to ${durationWords(schedule.jitter)}`] as const]),
        ...(schedule.startAt === null
          ? []
          : [['Starts', <Instant key="s" at={schedule.startAt} zone={timezone} />] as const]),
        ...(schedule.endAt === null
          ? []
          : [['Ends', <Instant key="e" at={schedule.endAt} zone={timezone} />] as const]),
        ...(schedule.maxRuns === null ? [] : [['Ends after', `${schedule.maxRuns} runs`] as const]),
        ...(schedule.dependsOn === null
          ? []
          : [
              [
                'Depends on',
                `${schedule.dependsOn.schedule}, within ${durationWords(schedule.dependsOn.within)}`,
              ] as const,
            ]),
        ...(schedule.exclusions.length === 0 ? [] : [['Never on', schedule.exclusions.join(', ')] as const]),
        ...(schedule.pauseAfterFailures === null
          ? []
          : [['Paused after', `${schedule.pauseAfterFailures} failures in a row`] as const]),
        ...(schedule.slo === null ? [] : [['Objectives', objectiveWords(schedule.slo).join(' ')] as const]),
        [
          'Payload',
          <code key="p" className="break-all">
            {JSON.stringify(schedule.payload)}
          </code>,
        ],
      ]}
    />
  );
}

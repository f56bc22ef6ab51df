import { collectDrafts, type ImportResult, type ReadItem } from './collect-drafts.js';
import { noEquivalent } from './no-equivalent.js';
import { asFields, asNumber, asText, type Fields } from './read-fields.js';

const OVERLAP = { Allow: 'allow', Forbid: 'skip', Replace: 'cancel' } as const;
const HISTORY = ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'];

/**
 * Turns CronJob manifests into schedules. Carillon does not start containers: the payload carries the job template to a
 * receiver that does.
 */
export function importKubernetes(documents: readonly unknown[], { timezone = 'UTC' } = {}): ImportResult {
  const manifests = documents.flatMap(unpack).map(asFields);
  return collectDrafts(
    'k8s',
    manifests.filter(({ kind }) => kind === 'CronJob'),
    {
      sourceOf: nameOf,
      read: (manifest) => readManifest(manifest, timezone),
    },
  );
}

/** `kubectl get cronjobs -o yaml` answers with a list. */
const unpack = (document: unknown): unknown[] => {
  const { items } = asFields(document);
  return Array.isArray(items) ? items.flatMap(unpack) : [document];
};

function nameOf({ metadata }: Fields): string {
  const { namespace, name } = asFields(metadata);
  return [asText(namespace), asText(name) ?? 'unnamed'].filter(Boolean).join('/');
}

function readManifest(manifest: Fields, defaultZone: string): ReadItem {
  const job = nameOf(manifest);
  const spec = asFields(manifest.spec);
  const written = asText(spec.schedule);
  if (written === null) return { job, rule: '', reason: 'spec.schedule is missing' };
  const [, zoneInRule, cron = written] = /^(?:CRON_)?TZ=(\S+)\s+(.*)$/.exec(written) ?? [];
  const timezone = asText(spec.timeZone) ?? zoneInRule ?? defaultZone;
  const deadline = asNumber(spec.startingDeadlineSeconds);
  const policy = asText(spec.concurrencyPolicy) ?? 'Allow';
  const { namespace, name } = asFields(manifest.metadata);
  return {
    job,
    rule: written,
    remarks: [
      ...(asText(spec.timeZone) === null && zoneInRule === undefined
        ? [
            `spec.timeZone is missing, so the rule is read in ${defaultZone}; the cluster uses the zone of its controller`,
          ]
        : []),
      ...remarksOf(spec, policy),
    ],
    schedule: {
      rule: { cron },
      timezone,
      overlap: OVERLAP[policy as keyof typeof OVERLAP] ?? 'allow',
      misfire: deadline === null ? { policy: 'once' } : { policy: 'skip', grace: `PT${deadline}S` },
      payload: { namespace: namespace ?? null, name: name ?? null, jobTemplate: spec.jobTemplate ?? null },
    },
  };
}

function remarksOf(spec: Fields, policy: string): string[] {
  const { backoffLimit } = asFields(asFields(spec.jobTemplate).spec);
  return [
    ...(policy === 'Replace'
      ? [
          noEquivalent(
            'concurrencyPolicy Replace',
            'overlap cancel ends the earlier run, and its receiver has to stop the job',
          ),
        ]
      : []),
    ...(spec.suspend === true ? [noEquivalent('suspend', 'pause the schedule after the import')] : []),
    ...(backoffLimit === undefined
      ? []
      : [
          `backoffLimit ${String(backoffLimit)} stays in the job template; \`retry\` counts deliveries to the target`,
        ]),
    ...HISTORY.filter((name) => spec[name] !== undefined).map((name) =>
      noEquivalent(name, 'runs are kept as long as the project keeps them'),
    ),
  ];
}

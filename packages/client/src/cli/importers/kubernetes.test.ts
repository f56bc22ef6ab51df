import { describe, expect, it } from 'vitest';
import { importKubernetes } from './kubernetes.js';
import { parseDocuments } from './read-documents.js';

const MANIFEST = `apiVersion: batch/v1
kind: CronJob
metadata: { name: backup, namespace: ops }
spec:
  schedule: "0 3 * * *"
  timeZone: Europe/Berlin
  concurrencyPolicy: Replace
  startingDeadlineSeconds: 200
  suspend: true
  successfulJobsHistoryLimit: 3
  jobTemplate:
    spec:
      backoffLimit: 2
      template:
        spec:
          containers: [{ name: backup, image: "backup:1.2", command: [run] }]
          restartPolicy: OnFailure
---
apiVersion: v1
kind: Service
metadata: { name: web }
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: digest }
spec: { schedule: "CRON_TZ=Asia/Tokyo 0 9 * * *", concurrencyPolicy: Forbid, jobTemplate: {} }
`;

describe('importKubernetes', () => {
  it('a Kubernetes CronJob becomes a schedule with its zone, its policies and the job template in the payload', () => {
    const { drafts } = importKubernetes(parseDocuments(MANIFEST, 'x.yaml'));
    expect(drafts).toMatchObject([
      {
        source: 'ops/backup',
        schedule: {
          id: 'k8s-ops-backup',
          rule: { cron: '0 3 * * *' },
          timezone: 'Europe/Berlin',
          overlap: 'cancel',
          misfire: { policy: 'skip', grace: 'PT200S' },
          payload: { namespace: 'ops', name: 'backup', jobTemplate: { spec: { backoffLimit: 2 } } },
        },
      },
      {
        source: 'digest',
        schedule: { rule: { cron: '0 9 * * *' }, timezone: 'Asia/Tokyo', overlap: 'skip' },
        remarks: [],
      },
    ]);
  });

  it('settings of a Kubernetes CronJob that have no equivalent in Carillon are reported', () => {
    const { drafts } = importKubernetes(parseDocuments(MANIFEST, 'x.yaml'));
    expect(drafts[0]?.remarks).toEqual([
      'has no equivalent: concurrencyPolicy Replace; overlap cancel ends the earlier run, and its receiver has to stop the job',
      'has no equivalent: suspend; pause the schedule after the import',
      expect.stringContaining('backoffLimit 2 stays in the job template'),
      expect.stringContaining('successfulJobsHistoryLimit'),
    ]);
  });

  it('all CronJobs in the output of kubectl are imported, and a CronJob without a time zone gets that of --tz', () => {
    const items = [
      { kind: 'CronJob', metadata: { name: 'a' }, spec: { schedule: '@daily' } },
      { kind: 'CronJob' },
    ];
    const { drafts, refusals } = importKubernetes([{ kind: 'List', items }], {
      timezone: 'America/New_York',
    });
    expect(drafts[0]).toMatchObject({
      schedule: { timezone: 'America/New_York', misfire: { policy: 'once' } },
      remarks: [expect.stringContaining('spec.timeZone is missing')],
    });
    expect(refusals).toMatchObject([{ source: 'unnamed', reason: 'spec.schedule is missing' }]);
  });
});

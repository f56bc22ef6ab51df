import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@carillon/testkit';
import { stringify } from 'yaml';

interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

export interface RuleState {
  name: string;
  type: 'recording' | 'alerting';
  health: 'ok' | 'err' | 'unknown';
  lastError?: string;
  state?: 'inactive' | 'pending' | 'firing';
}

/** A real Prometheus (from Debian's package) that scrapes every half second. */
export class Prometheus {
  private constructor(
    private readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start({
    targets,
    rules,
  }: {
    targets: Record<string, string[]>;
    rules: string;
  }): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-prometheus-'));
    const config = {
      global: { scrape_interval: '500ms', evaluation_interval: '500ms', scrape_timeout: '500ms' },
      rule_files: [rules],
      scrape_configs: Object.entries(targets).map(([job_name, addresses]) => ({
        job_name,
        static_configs: [{ targets: addresses.map((address) => new URL(address).host) }],
      })),
    };
    writeFileSync(join(folder, 'prometheus.yml'), stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      'prometheus',
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
      { stdio: 'ignore' },
    );
    const prometheus = new Prometheus(`http://${address}`, child, folder);
    await eventually(() =>
      fetch(`http://${address}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return prometheus;
  }

  async query(expression: string): Promise<Sample[]> {
    const body = await this.#get(`query?query=${encodeURIComponent(expression)}`);
    return (body as { result: Sample[] }).result;
  }

  async rules(): Promise<RuleState[]> {
    const { groups } = (await this.#get('rules')) as { groups: { rules: RuleState[] }[] };
    return groups.flatMap(({ rules }) => rules);
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as {
      status: string;
      data: unknown;
      error?: string;
    };
    if (status !== 'success') throw new Error(error);
    return data;
  }

  async stop(): Promise<void> {
    const exited = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

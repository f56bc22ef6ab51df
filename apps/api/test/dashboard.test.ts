import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { readDashboardFiles } from '../src/http/dashboard-files.js';
import { dashboardRoutes } from '../src/routes/dashboard.js';

const HTML = { accept: 'text/html,application/xhtml+xml' };
const folder = mkdtempSync(join(tmpdir(), 'carillon-dashboard-'));
mkdirSync(join(folder, 'assets'));
writeFileSync(
  join(folder, 'index.html'),
  '<!doctype html><base href="/" /><script src="./assets/a-1.js"></script>',
);
writeFileSync(join(folder, 'assets', 'a-1.js'), 'plain');
writeFileSync(join(folder, 'assets', 'a-1.js.br'), 'brotli');
writeFileSync(join(folder, 'assets', 'a-1.js.gz'), 'gzip');
writeFileSync(join(folder, 'icon.svg'), '<svg/>');
afterAll(() => rmSync(folder, { recursive: true }));

function serve(basePath = '/', from = folder): FastifyInstance {
  const app = fastify();
  void app.register(dashboardRoutes(readDashboardFiles(basePath, { folder: from })));
  return app;
}

describe('The API serves the dashboard', () => {
  it('the dashboard’s hashed files are sent as immutable, in the best encoding that the browser accepts', async () => {
    const app = serve();
    for (const [encodings, body, encoding] of [
      ['gzip, deflate, br', 'brotli', 'br'],
      ['gzip', 'gzip', 'gzip'],
      ['identity', 'plain', undefined],
    ] as const) {
      const answer = await app.inject({ url: '/assets/a-1.js', headers: { 'accept-encoding': encodings } });
      expect([answer.body, answer.headers['content-encoding']]).toEqual([body, encoding]);
      expect(answer.headers['cache-control']).toContain('immutable');
      expect(answer.headers.vary).toBe('accept-encoding');
    }
    expect((await app.inject('/icon.svg')).headers['cache-control']).not.toContain('immutable');
  });

  it('every path of the dashboard answers with its HTML page, which is sent as no-cache and allows no inline script', async () => {
    const app = serve();
    for (const url of ['/', '/schedules', '/schedules/a%2Fb?tab=runs']) {
      const { body, headers, statusCode } = await app.inject({ url, headers: HTML });
      expect(statusCode).toBe(200);
      expect(body).toContain('<base href="/"');
      expect(headers['cache-control']).toBe('no-cache');
      expect(headers['content-security-policy']).toContain("script-src 'self';");
      expect(headers['content-security-policy']).not.toContain('unsafe');
    }
  });

  it('GET / answers with the dashboard even to a client that does not ask for HTML, such as curl', async () => {
    const answer = await serve().inject({ url: '/', headers: { accept: '*/*' } });
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  });

  it('the dashboard’s page does not replace a 404 for an unknown API path, a missing file or a request that does not accept HTML', async () => {
    const app = serve();
    for (const url of ['/v1/nothing', '/health/nothing', '/queues/nothing'])
      expect((await app.inject({ url, headers: HTML })).statusCode).toBe(404);
    expect((await app.inject('/assets/gone.js')).statusCode).toBe(404);
    expect((await app.inject({ url: '/nothing', headers: { accept: 'application/json' } })).statusCode).toBe(
      404,
    );
  });

  it('DASHBOARD_BASE_PATH moves the dashboard’s page and files to that path, and / redirects there', async () => {
    const app = serve('/carillon/');
    expect((await app.inject({ url: '/carillon/runs', headers: HTML })).body).toContain(
      '<base href="/carillon/"',
    );
    expect((await app.inject('/carillon/assets/a-1.js')).statusCode).toBe(200);
    expect((await app.inject({ url: '/', headers: HTML })).headers.location).toBe('/carillon/');
    expect((await app.inject({ url: '/elsewhere', headers: HTML })).statusCode).toBe(404);
  });

  it('an API without a built dashboard starts, and answers with a page that says how to build the dashboard', async () => {
    const app = serve('/', join(folder, 'nothing-here'));
    const answer = await app.inject({ url: '/', headers: HTML });
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toContain('The dashboard is not built');
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, describe, expect, it } from 'vitest';
import { guideRoutes, readGuideFiles } from '../src/routes/guide.js';

const folder = mkdtempSync(join(tmpdir(), 'carillon-guide-'));
mkdirSync(join(folder, 'cookbook'));
mkdirSync(join(folder, 'assets'));
writeFileSync(join(folder, 'index.html'), 'home');
writeFileSync(join(folder, 'index.html.br'), 'brotli');
writeFileSync(join(folder, 'cookbook', 'digests.html'), 'digests');
writeFileSync(join(folder, 'assets', 'guide-1.js'), 'script');
afterAll(() => rmSync(folder, { recursive: true }));

function serve(from = folder): FastifyInstance {
  const app = fastify();
  void app.register(guideRoutes(readGuideFiles(from)));
  return app;
}

describe('The API serves the guide', () => {
  it('a page of the guide is sent compressed and as no-cache, and its content security policy allows no inline script or style', async () => {
    const { body, headers } = await serve().inject({
      url: '/guide/',
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect([body, headers['content-encoding']]).toEqual(['brotli', 'br']);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-security-policy']).toContain("script-src 'self'; style-src 'self';");
    expect(headers['content-security-policy']).not.toContain('unsafe');
  });

  it('a page of the guide is served at a path without an extension, and an unknown path answers 404', async () => {
    const app = serve();
    expect((await app.inject('/guide/cookbook/digests')).body).toBe('digests');
    for (const url of ['/guide/cookbook', '/guide/index.html', '/guide/../package.json'])
      expect((await app.inject(url)).statusCode, url).toBe(404);
  });

  it('the hashed files of the guide are sent as immutable', async () => {
    const { headers } = await serve().inject('/guide/assets/guide-1.js');
    expect(headers['cache-control']).toContain('immutable');
    expect(headers['content-type']).toContain('text/javascript');
  });

  it('GET /guide redirects to a relative path, so that the guide works behind a proxy that adds a path', async () => {
    const { statusCode, headers } = await serve().inject('/guide');
    expect([statusCode, headers.location]).toEqual([302, 'guide/']);
  });

  it('without a built guide the API starts, and /guide/ answers with a page that says how to build the guide', async () => {
    const answer = await serve(join(folder, 'nothing-here')).inject('/guide/');
    expect(answer.statusCode).toBe(503);
    expect(answer.body).toContain('npx turbo run build --filter=@carillon/guide');
  });
});

import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { composeSite } from './compose-site.js';
import { readSourcePages, type SourcePage } from './source-pages.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const places = { root, assets: fileURLToPath(new URL('../assets', import.meta.url)) };
const site = composeSite(readSourcePages(root), places);
const htmlFiles = [...site.files].filter(([path]) => path.endsWith('.html')) as [string, string][];

const page = (path: string, text: string): SourcePage => ({
  path,
  address: path === 'docs/README.md' ? '' : path.replace(/^docs\/|\.md$/g, ''),
  text,
});
const problemsOf = (...pages: SourcePage[]) => composeSite(pages, places).problems;

describe('The guide', () => {
  it('no link, anchor or image in the documents of this repository is broken, and the home page of the guide lists every page', () => {
    expect(site.problems).toEqual([]);
    expect(htmlFiles.length).toBeGreaterThan(50);
  });

  it('every link and every file that the built guide names is in the build', () => {
    const missing = htmlFiles.flatMap(([path, html]) =>
      [...html.matchAll(/ (?:href|src|data-search)="([^"#]*)(#[^"]*)?"/g)]
        .map(([, url = '']) => url)
        .filter((url) => !/^(https?:|mailto:)/.test(url) && !leadsOutside(path, url))
        .filter((url) => !site.files.has(fileOf(path, url)))
        .map((url) => `${path}: ${url}`),
    );
    expect(missing).toEqual([]);
  });

  it('the built guide has no inline script, style or event handler, which the content security policy would refuse', () => {
    for (const [path, html] of htmlFiles) {
      expect(html, path).not.toMatch(/<style|<script(?! src=)|<[^>]+ (style|on\w+)=/);
      expect(html.replace(/<pre[\s\S]*?<\/pre>/g, ''), path).not.toMatch(/(?:src|stylesheet" href)="https?:/);
    }
  });

  it('building the guide reports each link to a missing file, heading or image, with the page that has the link', () => {
    const home = page('docs/README.md', '# Guide\n\n## Start\n\n- [A](a.md)\n');
    const text = '# A\n\n[gone](gone.md) [no heading](a.md#b) [fine](#a) ![no image](images/none.png)\n';
    expect(problemsOf(home, page('docs/a.md', text))).toEqual([
      'docs/a.md: the link gone.md: there is no docs/gone.md',
      'docs/a.md: the link a.md#b: docs/a.md has no heading #b',
      'docs/a.md: the image images/none.png is not a PNG or SVG file of the repository',
    ]);
  });

  it('building the guide reports a page that the home page of the guide does not list', () => {
    const home = page('docs/README.md', '# Guide\n');
    expect(problemsOf(home, page('docs/a.md', '# A\n'))).toEqual([
      'docs/a.md: docs/README.md does not list this page',
    ]);
  });
});

/** True for a link to the dashboard or the API reference, which the server has beside the guide. */
const leadsOutside = (path: string, url: string) => resolve(path, url).startsWith('..');
const resolve = (path: string, url: string) => posix.normalize(posix.join(posix.dirname(path), url));
function fileOf(path: string, url: string): string {
  if (url === '') return path;
  const file = resolve(path, url).replace(/^\.?\/?$/, 'index');
  return /\.\w+$/.test(file) ? file : `${file}.html`;
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { headingIdsOf } from './heading-ids.js';
import { escapeHtml } from './highlight.js';
import { type Assets, layout, type MenuSection } from './layout.js';
import { readNavigation } from './read-navigation.js';
import { type RenderedPage, renderPage } from './render-page.js';
import { LinkResolver, relativeUrl } from './resolve-link.js';
import { searchEntries } from './search-index.js';
import { HOME, type SourcePage } from './source-pages.js';

export interface Site {
  /** The files of the site by their path. */
  files: Map<string, string | Buffer>;
  /** Broken links, and pages that the home page does not list. */
  problems: string[];
}

interface Rendered extends RenderedPage {
  page: SourcePage;
}

/**
 * Composes the guide from its pages. `root` is the folder of the repository, and `assets` the folder with the style
 * sheet, the script and the icon.
 */
export function composeSite(
  pages: readonly SourcePage[],
  { root, assets: folder }: { root: string; assets: string },
): Site {
  const anchors = new Map(pages.map((page) => [page, headingIdsOf(page.text)]));
  const links = new LinkResolver(root, pages, (page) => anchors.get(page) ?? new Set());
  const written = pages.map((page) => ({ page, ...renderPage(page, links) }));
  const { menu, folders } = menuOf(pages, links);
  const rendered = [...written, ...folders.map((folder) => folderPage(folder, written))];
  const files = new Map<string, string | Buffer>();
  const hashed = (name: string, content: string | Buffer) => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8);
    const path = `assets/${basename(name, extname(name))}-${hash}${extname(name)}`;
    files.set(path, content);
    return path;
  };
  const entries = rendered.flatMap(({ page, title, html }) =>
    searchEntries({ address: page.address, title, html }),
  );
  const asset = (name: string) => hashed(name, readFileSync(join(folder, name)));
  const assets: Assets = {
    style: asset('guide.css'),
    script: asset('guide.js'),
    icon: asset('icon.svg'),
    search: hashed('search.json', JSON.stringify(entries)),
  };
  for (const { page, title, html, headings, images } of rendered) {
    const { address } = page;
    files.set(`${address || 'index'}.html`, layout({ address, title, html, headings, menu, assets }));
    for (const image of images) files.set(image.replace(/^docs\//, ''), readFileSync(join(root, image)));
  }
  return { files, problems: [...written.flatMap(({ broken }) => broken), ...unlisted(written, menu)] };
}

/** The menu of the guide, and the folders of `docs` that it names. */
function menuOf(pages: readonly SourcePage[], links: LinkResolver) {
  const home = pages.find(({ path }) => path === HOME);
  if (!home) throw new Error(`${HOME} is missing: it holds the navigation of the guide`);
  const folders: { address: string; name: string }[] = [];
  const menu: MenuSection[] = readNavigation(home.text).map(({ title, links: listed }) => ({
    title,
    links: listed.flatMap(({ name, href }) => {
      const target = links.resolve(home, href);
      if (target.kind === 'folder') folders.push({ address: target.address, name });
      if (target.kind === 'folder') return [{ name, address: target.address }];
      if (target.kind !== 'page') return [];
      return [{ name, address: target.page.address + (target.anchor === null ? '' : `#${target.anchor}`) }];
    }),
  }));
  return { menu, folders };
}

/** The list of the pages in a folder of `docs`. */
function folderPage(
  { address, name }: { address: string; name: string },
  written: readonly Rendered[],
): Rendered {
  const items = written
    .filter(({ page }) => page.address.startsWith(`${address}/`))
    .toSorted((a, b) => a.title.localeCompare(b.title))
    .map(({ page, title }) => `<li><a href="${relativeUrl(address, page.address)}">${title}</a></li>`);
  const html = `<h1 id="top">${escapeHtml(name)}</h1>\n<ul>${items.join('')}</ul>\n`;
  const page = { path: `docs/${address}`, address, text: '' };
  return { page, title: name, html, headings: [], images: [], broken: [] };
}

/** Finds the pages that a reader would not find, because no link of the home page leads to them or to their folder. */
function unlisted(written: readonly Rendered[], menu: readonly MenuSection[]): string[] {
  const addresses = menu.flatMap(({ links }) => links.map(({ address }) => address.split('#')[0] as string));
  return written
    .filter(
      ({ page }) =>
        page.path !== HOME &&
        !addresses.some(
          (address) => page.address === address || (address !== '' && page.address.startsWith(`${address}/`)),
        ),
    )
    .map(({ page }) => `${page.path}: ${HOME} does not list this page`);
}

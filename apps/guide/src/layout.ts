import { escapeHtml } from './highlight.js';
import type { Heading } from './render-page.js';
import { relativeUrl } from './resolve-link.js';

export interface MenuLink {
  name: string;
  /** An address of the guide, with an anchor if the link leads to a heading. */
  address: string;
}

export interface MenuSection {
  title: string;
  links: MenuLink[];
}

/** The addresses of the style, the script and the search index, whose names carry a hash of their content. */
export interface Assets {
  style: string;
  script: string;
  search: string;
  icon: string;
}

interface Layout {
  address: string;
  title: string;
  html: string;
  headings: readonly Heading[];
  menu: readonly MenuSection[];
  assets: Assets;
}

/** A whole page of the guide. All URLs are relative, and nothing is inline. */
export function layout({ address, title, html, headings, menu, assets }: Layout): string {
  const to = (target: string) => escapeHtml(relativeUrl(address, target));
  const name = title === 'Carillon' || address === '' ? 'Carillon guide' : `${title} · Carillon`;
  const order = menu.flatMap(({ links }) => links);
  const index = order.findIndex((link) => link.address === address);
  return `<!doctype html>
<html lang="en" data-root="${to('')}" data-search="${to(assets.search)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="${to(assets.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${to(assets.style)}">
<script src="${to(assets.script)}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${to('')}"><img src="${to(assets.icon)}" alt="" width="20" height="20">Carillon <span>guide</span></a>
<search hidden><input type="search" placeholder="Search" aria-label="Search the guide" autocomplete="off"><ol hidden></ol></search>
<nav aria-label="This installation"><a class="pages-link" href="#pages">All pages</a><a href="${to('../')}">Dashboard</a><a href="${to('../docs')}">API</a></nav>
</header>
<div class="columns">
<nav id="pages" class="pages" aria-label="Pages">${menu.map((section) => renderSection(section, address, to)).join('')}</nav>
<main id="content">
${html}${index < 0 ? '' : renderNeighbours(order[index - 1], order[index + 1], to)}
</main>
${renderContents(headings)}
</div>
</body>
</html>
`;
}

function renderSection({ title, links }: MenuSection, here: string, to: (address: string) => string): string {
  const items = links.map(
    ({ name, address }) =>
      `<li><a href="${to(address)}"${address === here ? ' aria-current="page"' : ''}>${escapeHtml(name)}</a></li>`,
  );
  return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
}

function renderContents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ depth, id, html }) => `<li class="level-${depth}"><a href="#${id}">${html}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`;
}

function renderNeighbours(
  before: MenuLink | undefined,
  after: MenuLink | undefined,
  to: (address: string) => string,
): string {
  const link = (neighbour: MenuLink | undefined, rel: 'prev' | 'next', sign: (name: string) => string) =>
    neighbour
      ? `<a rel="${rel}" href="${to(neighbour.address)}">${sign(escapeHtml(neighbour.name))}</a>`
      : '<span></span>';
  return `<nav class="neighbours" aria-label="Next and previous page">${link(before, 'prev', (name) => `← ${name}`)}${link(after, 'next', (name) => `${name} →`)}</nav>`;
}

import { Marked, type Tokens } from 'marked';
import { HeadingIds } from './heading-ids.js';
import { escapeHtml, highlight } from './highlight.js';
import { renderDiagram } from './render-diagram.js';
import { type LinkResolver, relativeUrl } from './resolve-link.js';
import type { SourcePage } from './source-pages.js';

export interface Heading {
  depth: number;
  id: string;
  /** The text of the heading as HTML. */
  html: string;
}

export interface RenderedPage {
  title: string;
  html: string;
  headings: Heading[];
  /** The images of the repository that the page shows. */
  images: string[];
  /** Links that lead nowhere, with the reason. */
  broken: string[];
}

/** Renders a page of the guide. */
export function renderPage(page: SourcePage, links: LinkResolver): RenderedPage {
  const headings: Heading[] = [];
  const images: string[] = [];
  const broken: string[] = [];
  const ids = new HeadingIds();
  const to = (address: string) => relativeUrl(page.address, address);
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading): string {
        const html = this.parser.parseInline(tokens);
        const id = ids.next(text);
        headings.push({ depth, id, html: html.replace(/<\/?a\b[^>]*>/g, '') });
        return depth === 1
          ? `<h1 id="${id}">${html}</h1>\n`
          : `<h${depth} id="${id}"><a class="anchor" href="#${id}" aria-hidden="true" tabindex="-1">#</a>${html}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link): string {
        const html = this.parser.parseInline(tokens);
        const target = links.resolve(page, href);
        if (target.kind === 'nowhere') broken.push(`${page.path}: the link ${href}: ${target.reason}`);
        if (target.kind === 'outside')
          return `<a href="${escapeHtml(target.url)}" rel="noreferrer">${html}</a>`;
        if (target.kind === 'folder') return `<a href="${to(target.address)}">${html}</a>`;
        if (target.kind === 'image') {
          images.push(target.path);
          return `<a href="${to(target.address)}">${html}</a>`;
        }
        if (target.kind !== 'page') return html;
        const anchor = target.anchor === null ? '' : `#${encodeURIComponent(target.anchor)}`;
        const address = target.page === page && anchor !== '' ? '' : to(target.page.address);
        return `<a href="${address}${anchor}">${html}</a>`;
      },
      image({ href, text }: Tokens.Image): string {
        const target = links.resolve(page, href);
        if (target.kind !== 'image') {
          broken.push(`${page.path}: the image ${href} is not a PNG or SVG file of the repository`);
          return '';
        }
        images.push(target.path);
        return `<img src="${to(target.address)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      code({ text, lang = '' }: Tokens.Code): string {
        const [language = ''] = lang.split(' ');
        if (language === 'mermaid') return renderDiagram(text);
        return `<pre tabindex="0"><code>${highlight(text, language)}\n</code></pre>\n`;
      },
      table(token: Tokens.Table): string {
        const row = (cells: Tokens.TableCell[], tag: 'th' | 'td') =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="table" tabindex="0"><table><thead>${row(token.header, 'th')}</thead><tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(page.text, { async: false });
  const title = headings.find(({ depth }) => depth === 1)?.html.replace(/<[^>]+>/g, '') ?? page.address;
  return { title, html, headings, images, broken };
}

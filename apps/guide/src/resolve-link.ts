import { existsSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { SourcePage } from './source-pages.js';

/** The destination of a link. */
export type Destination =
  | { kind: 'outside'; url: string }
  | { kind: 'page'; page: SourcePage; anchor: string | null }
  /** A folder of `docs`, for which the guide has a list of its pages. */
  | { kind: 'folder'; address: string }
  | { kind: 'image'; path: string; address: string }
  /** A file of the repository that is not part of the guide, such as source code. */
  | { kind: 'file' }
  | { kind: 'nowhere'; reason: string };

const IMAGE = /\.(png|svg)$/;

/** Finds out where a link in a Markdown file leads. The link is relative to the folder of that file, as on GitHub. */
export class LinkResolver {
  readonly #byPath: ReadonlyMap<string, SourcePage>;

  constructor(
    private readonly root: string,
    readonly pages: readonly SourcePage[],
    private readonly anchorsOf: (page: SourcePage) => ReadonlySet<string>,
  ) {
    this.#byPath = new Map(pages.map((page) => [page.path, page]));
  }

  resolve(from: SourcePage, href: string): Destination {
    if (/^(https?|mailto):/.test(href)) return { kind: 'outside', url: href };
    const [target = '', anchor = null] = decodeURI(href).split('#', 2);
    const path = target === '' ? from.path : posix.join(posix.dirname(from.path), target).replace(/\/$/, '');
    const page = this.#byPath.get(path) ?? this.#byPath.get(`${path}/README.md`);
    if (page) {
      if (anchor !== null && !this.anchorsOf(page).has(anchor))
        return { kind: 'nowhere', reason: `${page.path} has no heading #${anchor}` };
      return { kind: 'page', page, anchor };
    }
    if (path.startsWith('../') || !existsSync(join(this.root, path)))
      return { kind: 'nowhere', reason: `there is no ${path}` };
    if (IMAGE.test(path)) return { kind: 'image', path, address: path.replace(/^docs\//, '') };
    if (path.startsWith('docs/') && this.pages.some((page) => page.path.startsWith(`${path}/`)))
      return { kind: 'folder', address: path.replace(/^docs\//, '') };
    return { kind: 'file' };
  }
}

/** The relative URL from one address of the guide to another, so that the guide works below any path. */
export function relativeUrl(from: string, to: string): string {
  const depth = from.split('/').length - 1;
  return `${'../'.repeat(depth)}${to}` || './';
}

import { lexer, type Token, type Tokens } from 'marked';

/** Gives headings the ids that GitHub gives them, so that a link works in both places. */
export class HeadingIds {
  readonly #used = new Map<string, number>();

  next(heading: string): string {
    const id = heading
      .replace(/<[^>]+>|[`*]/g, '')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const uses = this.#used.get(id) ?? 0;
    this.#used.set(id, uses + 1);
    return uses === 0 ? id : `${id}-${uses}`;
  }
}

/** The ids of all headings of a document. */
export function headingIdsOf(text: string): Set<string> {
  const ids = new HeadingIds();
  const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';
  const headings = lexer(text).filter(isHeading);
  return new Set(headings.map((token) => ids.next(token.text)));
}

import { lexer, type Token, type Tokens } from 'marked';

export interface NavigationLink {
  name: string;
  /** The link as it is written in the home page. */
  href: string;
}

export interface NavigationSection {
  title: string;
  links: NavigationLink[];
}

/**
 * Reads the navigation of the guide from its home page. Each heading of level 2 begins a section. The first link of
 * each list item in the section is a link of the menu.
 */
export function readNavigation(text: string): NavigationSection[] {
  const sections: NavigationSection[] = [];
  for (const token of lexer(text)) {
    if (token.type === 'heading' && token.depth === 2) sections.push({ title: token.text, links: [] });
    if (token.type === 'list') sections.at(-1)?.links.push(...token.items.flatMap(firstLink));
  }
  return sections;
}

function firstLink({ tokens }: Tokens.ListItem): NavigationLink[] {
  const inline = tokens.flatMap((token: Token) => ('tokens' in token ? (token.tokens ?? []) : []));
  const link = inline.find((token): token is Tokens.Link => token.type === 'link');
  return link ? [{ name: link.text, href: link.href }] : [];
}

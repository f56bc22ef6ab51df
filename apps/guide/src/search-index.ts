/** A section of a page, as an entry of the search index. */
export interface SearchEntry {
  page: string;
  heading: string;
  url: string;
  text: string;
}

const BLOCK_END = /<\/(?:p|li|td|th|pre|h\d|tr)>/g;

/** Splits a rendered page into its sections. */
export function searchEntries({
  address,
  title,
  html,
}: {
  address: string;
  title: string;
  html: string;
}): SearchEntry[] {
  return html.split(/(?=<h[123] id=")/).flatMap((section) => {
    const [heading = '', depth, id] = /^<h([123]) id="([^"]*)">.*?<\/h\1>/.exec(section) ?? [];
    const text = textOf(section.slice(heading.length));
    if (heading === '' && text === '') return [];
    const url = depth === '1' || id === undefined ? address : `${address}#${id}`;
    return [{ page: title, heading: textOf(heading).replace(/^#/, ''), url, text }];
  });
}

/** The text of HTML, with entities decoded. */
export const textOf = (html: string) =>
  html
    .replace(BLOCK_END, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim();

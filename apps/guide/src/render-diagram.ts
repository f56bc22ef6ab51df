import { escapeHtml } from './highlight.js';

/**
 * The arrows of a Mermaid diagram: `a & b -- label --> c` of flowcharts, `a --> b: label` of state diagrams, and
 * `a->>b: label` of sequences.
 */
const ARROW = /^(.+?)\s*(?:--\s+(.+?)\s+)?-{1,2}>{1,2}\s*([^:]+?)(?:\s*:\s*(.+))?$/;
const NAMED = /^(?:participant\s+)?([\w-]+)(?:\s+as\s+(.+)|\s*[[({]+"?(.*?)"?[\])}]+)$/;

/**
 * Renders a Mermaid diagram as the list of its arrows. Mermaid itself draws in the browser, with 3 MB of script and
 * with inline styles, which the content security policy refuses.
 */
export function renderDiagram(source: string): string {
  const names = new Map<string, string>([['[*]', '•']]);
  const nameOf = (part: string) => {
    const [, id, alias, label] = NAMED.exec(part) ?? [];
    if (id !== undefined && part !== '[*]')
      names.set(id, plain((alias ?? label ?? id).replace(/<br\s*\/?>/g, ': ')));
    return names.get(id ?? part) ?? part;
  };
  const items = source.split('\n').flatMap((line) => {
    const text = line.trim();
    const arrow = ARROW.exec(text);
    if (!arrow) {
      if (NAMED.test(text)) nameOf(text);
      const [, note] = /^Note over [^:]+: (.+)$/.exec(text) ?? [];
      return note ? [`<li><em>${escapeHtml(note)}</em></li>`] : [];
    }
    const [, from = '', before, to = '', after] = arrow;
    const each = (part: string) => part.split(' & ').map((one) => escapeHtml(shorten(nameOf(one.trim()))));
    const label = plain(before ?? after ?? '');
    return [
      `<li><b>${each(from).join(', ')}</b> → <b>${each(to).join(', ')}</b>${label === '' ? '' : `: ${escapeHtml(label)}`}</li>`,
    ];
  });
  return `<ul class="diagram">${items.join('')}</ul>\n`;
}

/**
 * A label such as `API: accepts requests` names a part and explains it. In a list of arrows, the name before the colon
 * is enough.
 */
const shorten = (name: string) => name.split(': ', 1)[0] ?? name;
const plain = (text: string) =>
  text.replaceAll('"', '').replaceAll('&lt;', '<').replaceAll('&gt;', '>').trim();

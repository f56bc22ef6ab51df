import type { Command, Group, Options } from './command.js';
import type { Style } from './terminal.js';

export const GLOBAL_OPTIONS = {
  url: {
    type: 'string',
    value: '<url>',
    about: 'URL of the API (default: CARILLON_URL, the URL in .carillon/api.url, or http://127.0.0.1:3000)',
  },
  key: {
    type: 'string',
    value: '<key>',
    about: 'API key (default: CARILLON_KEY, or the key in .carillon/admin.key for an API on this machine)',
  },
  json: { type: 'boolean', about: 'print JSON instead of text' },
  'no-color': { type: 'boolean', about: 'print without colours (also: NO_COLOR)' },
  help: { type: 'boolean', short: 'h', about: 'show this help' },
} as const satisfies Options;

const EXIT_CODES = `0 success, 1 failure, 2 invalid command line or request, 3 not found, 4 not allowed, 5 conflict, 6 cannot connect`;

/** The help text of a command or a group. `path` holds the words that select it, such as `carillon` and `schedules`. */
export function helpFor(node: Command | Group, path: readonly string[], style: Style): string {
  const name = path.join(' ');
  const usage = node.kind === 'group' ? `${name} <command>` : `${name} ${node.usage}`.trimEnd();
  const heading = (text: string) => style('bold', text);
  const sections = [
    node.details ? `${node.summary}.\n${node.details}` : `${node.summary}.`,
    `${heading('Usage')}\n  ${usage} [options]`,
  ];
  if (node.kind === 'group') {
    sections.push(
      `${heading('Commands')}\n${listed(node.commands.map((each) => [each.name, each.summary]))}`,
    );
  } else if (Object.keys(node.options).length > 0) {
    sections.push(`${heading('Options')}\n${listOptions(node.options)}`);
  }
  sections.push(
    `${heading('Examples')}\n${node.examples.map((example) => `  ${style('dim', '$')} ${example}`).join('\n')}`,
  );
  if (node.kind === 'command' || path.length === 1) {
    sections.push(`${heading('Global options')}\n${listOptions(GLOBAL_OPTIONS)}`);
  }
  if (path.length === 1) sections.push(`${heading('Exit codes')}\n  ${EXIT_CODES}`);
  return sections.join('\n\n');
}

function listOptions(options: Options): string {
  return listed(
    Object.entries(options).map(([name, { short, value, multiple, about }]) => [
      `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
      multiple ? `${about} (may be repeated)` : about,
    ]),
  );
}

function listed(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

import type { Command, Group, Options } from './command.js';
import type { Style } from './terminal.js';

export const GLOBAL_OPTIONS = {
  url: { type: 'string', value: '<url>', about: 'the API; otherwise CARILLON_URL, or http://127.0.0.1:3000' },
  key: {
    type: 'string',
    value: '<key>',
    about: 'the API key; otherwise CARILLON_KEY, or .carillon/admin.key',
  },
  json: { type: 'boolean', about: 'for programs: JSON as the API answers it' },
  'no-color': { type: 'boolean', about: 'no colours, as with NO_COLOR' },
  help: { type: 'boolean', short: 'h', about: 'this help' },
} as const satisfies Options;

const EXIT_CODES = `0 done, 1 failed, 2 typed wrong or invalid, 3 not found, 4 not allowed, 5 conflict or changed meanwhile, 6 cannot connect`;

/** Help for a command or a group of them. `path` is what was typed to get there. */
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
    sections.push(`${heading('Everywhere')}\n${listOptions(GLOBAL_OPTIONS)}`);
  }
  if (path.length === 1) sections.push(`${heading('Exit codes')}\n  ${EXIT_CODES}`);
  return sections.join('\n\n');
}

function listOptions(options: Options): string {
  return listed(
    Object.entries(options).map(([name, { short, value, multiple, about }]) => [
      `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`,
      multiple ? `${about} (may be given several times)` : about,
    ]),
  );
}

function listed(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([left]) => left.length));
  return pairs.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

import type { Command, Group, Options } from './command.js';
import { GLOBAL_OPTIONS } from './help.js';

interface Node {
  /** The words of the command line that select this node, such as `carillon schedules ls`. */
  path: string;
  node: Command | Group;
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Generates the completion script of a shell from the command tree. */
export function completionScript(shell: Shell, root: Group): string {
  const nodes = walk(root, root.name);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](root.name, nodes);
}

const walk = (node: Command | Group, path: string): Node[] => [
  { path, node },
  ...(node.kind === 'group' ? node.commands.flatMap((each) => walk(each, `${path} ${each.name}`)) : []),
];

const optionsOf = (node: Command | Group): Options =>
  node.kind === 'group' ? GLOBAL_OPTIONS : { ...node.options, ...GLOBAL_OPTIONS };

const wordsOf = ({ node }: Node) => [
  ...(node.kind === 'group' ? node.commands.map(({ name }) => name) : []),
  ...Object.keys(optionsOf(node)).map((name) => `--${name}`),
];

/**
 * The patterns of a shell `case` that matches the words of every command and group, such as `carillon schedules ls`.
 */
const steps = (nodes: readonly Node[]) =>
  nodes
    .slice(1)
    .map(({ path }) => `"${path}"`)
    .join('|');

const bashScript = (
  name: string,
  nodes: readonly Node[],
) => `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local word node="${name}" words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$node $word" in
      ${steps(nodes)}) node="$node $word" ;;
    esac
  done
  case "$node" in
${nodes.map((each) => `    "${each.path}") words="${wordsOf(each).join(' ')}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${name} ${name}`;

const zshScript = (name: string, nodes: readonly Node[]) => `#compdef ${name}
# zsh completion of ${name}: source <(${name} completion zsh)
_${name}() {
  local word node="${name}"
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case "$node $word" in
      ${steps(nodes)}) node="$node $word" ;;
    esac
  done
  case "$node" in
${nodes.map((each) => `    "${each.path}") compadd -- ${wordsOf(each).join(' ')} ;;`).join('\n')}
  esac
}
compdef _${name} ${name}`;

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fishScript(name: string, nodes: readonly Node[]): string {
  const lines = nodes.flatMap(({ path, node }) => {
    const start = `complete -c ${name} -n ${quoted(`__${name}_at "${path}"`)}`;
    const commands = node.kind === 'group' ? node.commands : [];
    return [
      ...commands.map((each) => `${start} -f -a ${each.name} -d ${quoted(each.summary)}`),
      ...Object.entries(optionsOf(node)).map(
        ([option, { type, about }]) =>
          `${start} -l ${option}${type === 'string' ? ' -r' : ''} -d ${quoted(about)}`,
      ),
    ];
  });
  return `# fish completion of ${name}: ${name} completion fish | source
set -g __${name}_nodes ${nodes.map(({ path }) => quoted(path)).join(' ')}
function __${name}_at
    set -l node ${name}
    for word in (commandline -opc)[2..-1]
        if contains -- "$node $word" $__${name}_nodes
            set node "$node $word"
        end
    end
    test "$node" = "$argv[1]"
end
${lines.join('\n')}`;
}

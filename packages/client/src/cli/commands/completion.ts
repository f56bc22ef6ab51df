import { command, type Group, type Output } from '../command.js';
import { completionScript, SHELLS, type Shell } from '../completion-script.js';
import { UsageError } from '../usage-error.js';

/** The command tree is passed as a function, because it contains this command and so does not exist yet. */
export const completion = (root: () => Group) =>
  command({
    name: 'completion',
    summary: 'Print the completion script of a shell',
    usage: SHELLS.join(' | '),
    words: { least: 1, most: 1 },
    options: {},
    examples: ['source <(carillon completion bash)', 'carillon completion fish'],
    async run({ positionals: [shell = ''] }): Promise<Output> {
      if (!SHELLS.includes(shell as Shell))
        throw new UsageError(`unknown shell "${shell}"; expected ${SHELLS.join(', ')}`);
      const script = completionScript(shell as Shell, root());
      return { json: { shell, script }, text: script };
    },
  });

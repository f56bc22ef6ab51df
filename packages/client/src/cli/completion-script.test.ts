import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { carillonCommand } from './commands/index.js';
import { completionScript, SHELLS } from './completion-script.js';

/** The completions that bash offers for the last word. */
function completeInBash(...words: string[]): string[] {
  const script = `${completionScript('bash', carillonCommand)}
COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _carillon; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe('completionScript', () => {
  it('the bash completion of the carillon command completes groups, commands and options', () => {
    expect(completeInBash('carillon', 'sched')).toEqual(['schedules']);
    expect(completeInBash('carillon', 'plan', '--det')).toEqual(['--detailed-exitcode']);
    expect(completeInBash('carillon', 'import', 'k')).toEqual(['kubernetes']);
    expect(completeInBash('carillon', 'schedules', 're')).toEqual(['resume', 'reschedule']);
    expect(completeInBash('carillon', 'users', 'create', '--first')).toEqual(['--first-name']);
    expect(completeInBash('carillon', '--json', 'runs', 'sh')).toEqual(['show']);
    expect(completeInBash('carillon', 'completion', '--he')).toEqual(['--help']);
  });

  it.each(SHELLS)(
    'the completion script of the carillon command for %s names every command, and the shell accepts its syntax',
    (shell) => {
      const script = completionScript(shell, carillonCommand);
      for (const { name } of carillonCommand.commands) expect(script).toContain(name);
      const file = join(mkdtempSync(join(tmpdir(), 'carillon-completion-')), shell);
      writeFileSync(file, script);
      const check = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      if (check.error) console.log(`${shell} is not installed: only the content of its script is checked`);
      else expect(check.stderr).toBe('');
    },
  );
});

import { describe, expect, it } from 'vitest';
import { readOptions } from './options.js';

const read = (...args: string[]) =>
  readOptions(args, { races: ['herd', 'claims'], defaultCommit: '928375a' });

describe('options of the bench', () => {
  it('the bench option --before without a commit compares with the default commit', () => {
    expect(read('herd', '--before')).toMatchObject({ names: ['herd'], before: '928375a' });
    expect(read('--before', '--quick')).toMatchObject({ isQuick: true, before: '928375a' });
    expect(read('--before', 'herd')).toMatchObject({ names: ['herd'], before: '928375a' });
  });

  it('the bench option --before names the commit to compare with', () => {
    expect(read('--before', 'f8e0efe', 'herd')).toMatchObject({ names: ['herd'], before: 'f8e0efe' });
    expect(read('herd', '--before=HEAD~2')).toMatchObject({ names: ['herd'], before: 'HEAD~2' });
  });

  it('the figures of a benchmark against an earlier commit are not written to docs/performance.md', () => {
    expect(read('--before')).toMatchObject({ isWritten: false });
    expect(() => read('herd', '--before', '--write')).toThrow('--before and --write');
  });

  it('a benchmark of all races writes its figures to docs/performance.md, and a single race does so only with --write', () => {
    expect(read()).toMatchObject({ isWritten: true, before: null });
    expect(read('herd')).toMatchObject({ isWritten: false });
    expect(read('herd', '--write')).toMatchObject({ isWritten: true });
    expect(read('--quick')).toMatchObject({ isWritten: false });
  });

  it('the bench option --strict is refused together with --quick, because a quick run is compared with no goal', () => {
    expect(read('herd')).toMatchObject({ isStrict: false });
    expect(read('herd', '--strict')).toMatchObject({ isStrict: true });
    expect(() => read('herd', '--strict', '--quick')).toThrow('--strict and --quick');
  });
});

import type { Log } from '../log.js';

export interface Terminal extends Log {
  /** Holds back the lines of the apps until `release`, so that a failed start prints only one line with the reason. */
  held(): { log: Log; release(): void };
}

export function terminal(): Terminal {
  const info = (line: string) => process.stdout.write(`${line}\n`);
  const warn = (line: string) => process.stderr.write(`${line}\n`);
  return {
    info,
    warn,
    held() {
      let waiting: (() => void)[] | null = [];
      const hold = (say: (line: string) => void) => (line: string) => {
        if (waiting) waiting.push(() => say(line));
        else say(line);
      };
      return {
        log: { info: hold(info), warn: hold(warn) },
        release() {
          for (const say of waiting ?? []) say();
          waiting = null;
        },
      };
    },
  };
}

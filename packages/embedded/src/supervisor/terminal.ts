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
      let waiting: string[] | null = [];
      const say = (line: string) => {
        if (waiting) waiting.push(line);
        else warn(line);
      };
      return {
        log: { info: say, warn: say },
        release() {
          for (const line of waiting ?? []) warn(line);
          waiting = null;
        },
      };
    },
  };
}

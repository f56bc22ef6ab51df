import type { Log } from '../log.js';

export interface Terminal extends Log {
  /** Holds back what the apps say until `release`: should the start fail, one line says why. */
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

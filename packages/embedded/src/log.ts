/** The log of the servers and the supervisor, one line per message. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
}

/** Where the servers and the supervisor say what they do; a line each. */
export interface Log {
  info(line: string): void;
  warn(line: string): void;
}

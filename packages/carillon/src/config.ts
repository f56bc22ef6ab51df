/** The search path of this process, to find a native Redis. */
export const readPath = (): string => process.env.PATH ?? '';

/**
 * Sets CARILLON_HANDLERS for the worker, which reads its settings from the environment. The worker runs in this process
 * or in a child process.
 */
export function setHandlersModule(module: string): void {
  process.env.CARILLON_HANDLERS = module;
}

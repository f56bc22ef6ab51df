/** Waits until a step has ended, successfully or not, but no longer than its deadline. */
export async function waitAtMost(deadlineMs: number, step: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deadlineMs);
  });
  await Promise.race([step.catch(() => {}), deadline]);
  clearTimeout(timer);
}

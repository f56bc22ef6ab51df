/** Waits until a promise has settled, successfully or not, but no longer than the deadline. */
export async function waitAtMost(deadlineMs: number, step: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, deadlineMs);
  });
  await Promise.race([step.catch(() => {}), deadline]);
  clearTimeout(timer);
}

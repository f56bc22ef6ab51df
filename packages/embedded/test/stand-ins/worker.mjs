// Takes its time to stop, as one with deliveries under way does: for ever if told to.
const busy = setInterval(() => undefined, 1_000);
process.on('SIGTERM', () => {
  if (!process.env.STUBBORN_WORKER) clearInterval(busy);
});
process.on('SIGINT', () => undefined);

// This stand-in stops slowly, like a worker with deliveries in flight, or never if the test says so.
const busy = setInterval(() => undefined, 1_000);
process.on('SIGTERM', () => {
  if (!process.env.STUBBORN_WORKER) clearInterval(busy);
});
process.on('SIGINT', () => undefined);
console.log(JSON.stringify({ level: 30, msg: `probes on ${process.env.WORKER_PORT}` }));

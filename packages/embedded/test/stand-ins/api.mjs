import { createServer } from 'node:http';

// This stand-in answers with its environment, and ends when asked to.
if (process.env.BROKEN_API) {
  console.error(process.env.BROKEN_API);
  process.exit(1);
}
console.log(JSON.stringify({ level: 30, msg: 'calm' }));
console.log(JSON.stringify({ level: 40, msg: 'worrying' }));
const server = createServer((request, response) => {
  if (request.url === '/crash') process.exit(3);
  response.end(JSON.stringify({ pid: process.pid, env: process.env }));
});
server.listen(Number(process.env.PORT), process.env.HOST);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));

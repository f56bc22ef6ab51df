import Fastify from 'fastify';
import pg from 'pg';
import { endOnSignal } from './environment.js';

// The program that the API of Carillon is compared with: a service that only accepts, inserts and returns a schedule.
// It has as many connections to Postgres as the API of Carillon.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
await pool.query(
  'create table bare (id bigserial primary key, key text not null unique, next_run_at timestamptz not null, body json not null)',
);
const app = Fastify();
app.post<{ Body: { id: string; rule: { at: string } } }>('/v1/schedules', async ({ body }, reply) => {
  await pool.query({
    name: 'insert',
    text: 'insert into bare (key, next_run_at, body) values ($1, $2, $3)',
    values: [body.id, body.rule.at, JSON.stringify(body)],
  });
  return reply.status(201).send(body);
});
endOnSignal();
const url = await app.listen({ host: '127.0.0.1', port: 0 });
console.log(JSON.stringify({ url, msg: 'API ready' }));

import { fileURLToPath } from 'node:url';
import { supervise } from '../../dist/index.js';

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
process.exit(
  await supervise({ root: process.cwd(), entries: { api: beside('api.mjs'), worker: beside('worker.mjs') } }),
);

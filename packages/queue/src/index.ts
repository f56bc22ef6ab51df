export * from './bells.js';
export * from './clock.js';
export * from './connection.js';
export * from './names.js';
export * from './open-queue.js';
export * from './punctual.js';
export * from './redis-watch.js';
export * from './wake-ups.js';

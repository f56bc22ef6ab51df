export * from './database.js';
export * from './engine.js';
export * from './eventually.js';
export * from './own-servers.js';
export * from './processes.js';
export * from './schedules.js';
export { testServers } from './servers.js';
export * from './tcp-proxy.js';
export * from './webhook-receiver.js';

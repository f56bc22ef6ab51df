export { readConfig } from './config.js';
export { type RunningApi, startApi } from './server.js';

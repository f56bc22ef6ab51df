export { type Config as ApiConfig, readConfig } from './config.js';
export { type ApiResources, prepareApi, type RunningApi, startApi, type UnstartedApi } from './server.js';

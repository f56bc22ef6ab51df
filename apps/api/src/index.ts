export { type Config as ApiConfig, readConfig } from './config.js';
export { type ApiResources, type OpenApi, openApi, type RunningApi, startApi } from './server.js';

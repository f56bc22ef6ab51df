export { readConfig } from './config.js';
export { defineHandler, type Handler, type HandlerRun } from './define.js';
export { type RunningWorker, startWorker } from './worker.js';

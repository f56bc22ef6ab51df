export * from './admit.js';
export * from './decide-due.js';
export * from './definition-cache.js';
export * from './plan.js';
export * from './retry.js';
export * from './rules/index.js';
export * from './run-id.js';

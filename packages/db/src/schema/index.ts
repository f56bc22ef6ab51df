export * from './alerts.js';
export { carillon } from './columns.js';
export * from './requests.js';
export * from './runs.js';
export * from './schedules.js';
export * from './systems.js';
export * from './tenancy.js';
export * from './workers.js';

export * from './calendars.js';
export * from './deliveries.js';
export * from './operations.js';
export * from './requests.js';
export * from './runs.js';
export * from './schedules.js';
export * from './systems.js';
export * from './tenancy.js';

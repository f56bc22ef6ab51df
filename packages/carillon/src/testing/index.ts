export { startTestCarillon, type TestCarillon, type TestOptions } from './test-carillon.js';
export { type TestClock, toMilliseconds } from './test-clock.js';
export { startTestServers, type TestServers } from './test-servers.js';

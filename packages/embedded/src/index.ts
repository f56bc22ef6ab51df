export { clearAbandonedHome } from './clear-abandoned-home.js';
export { freePort } from './free-port.js';
export type { Log } from './log.js';
export { StartError } from './start-error.js';
export { type Servers, type StartServersOptions, startServers } from './start-servers.js';
export { localAdminKey, localEncryptionKey } from './supervisor/secrets.js';
export { supervise } from './supervisor/supervise.js';

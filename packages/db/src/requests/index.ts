export { callFunction } from './call-function.js';
export { changeRequested, type SettledChange } from './change-requested.js';
export { explainMissing, type MissingSchedule } from './explain-missing.js';
export { listenForRequests } from './listen-for-requests.js';
export {
  lockRequests,
  type RequestingProject,
  readRequestingProject,
  type SqlRequest,
} from './lock-requests.js';
export { deleteRequests, type RefusedRequest, recordRefusals } from './settle-requests.js';

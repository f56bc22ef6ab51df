export { callFunction } from './call-function.js';
export { changeRequested, type HandledChange } from './change-requested.js';
export { explainMissing, type MissingSchedule } from './explain-missing.js';
export { deleteRequests, type RefusedRequest, recordRefusals } from './finish-requests.js';
export { listenForRequests } from './listen-for-requests.js';
export {
  lockRequests,
  type RequestingProject,
  readRequestingProject,
  type SqlRequest,
} from './lock-requests.js';

export {
  type Evidence,
  type EvidenceVerdict,
  judgeEvidence,
  type RememberedRow,
  readLatestChange,
  readLatestEvidence,
} from './evidence.js';
export { holdForLoss, holdInstallation } from './hold.js';
export { readServerIdentity, recordHome } from './home.js';
export { type InstallationState, readInstallationState } from './installation-state.js';
export { lostTimeOf, type ReleaseResult, releaseInstallation } from './release.js';
export { type LostTimeSurvey, surveyLostTime } from './survey-lost-time.js';
export { Witness } from './witness.js';

export {
  type ChannelSettings,
  type ChannelView,
  createChannel,
  deleteChannel,
  editChannel,
  listChannels,
  type MessageView,
  readChannel,
  readLatestMessages,
  readMessage,
} from './channels.js';
export { claimMonitorPing } from './claim-monitor-ping.js';
export { type JudgedWatches, judgeWatches } from './judge-watches.js';
export {
  createMaintenance,
  deleteMaintenance,
  listMaintenance,
  type MaintenanceView,
} from './maintenance.js';
export {
  composeMessages,
  insertMessage,
  markFailed,
  markSent,
  type TakenMessage,
  takeMessages,
} from './messages.js';
export {
  hasStartPing,
  type PingKind,
  type PingView,
  type PingWindow,
  readHeartbeat,
  readHeartbeatTiming,
  recordPing,
  rotatePingToken,
  takePing,
} from './pings.js';
export { type AlertFilter, type AlertView, listAlerts } from './read-alerts.js';
export { bringWatchesForward, readNextWatch } from './watches.js';

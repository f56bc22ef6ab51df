export { type AddEventResult, addUserEvent, type SystemRequest } from './add-user-event.js';
export {
  type CalendarView,
  countStaleUsers,
  listCalendars,
  readCalendar,
  readCalendars,
  readCalendarUsers,
} from './calendars.js';
export { type CreatedUser, createUser, type NewUser } from './create-user.js';
export { type DeletedUser, deleteUser, removeUserEvent } from './delete-user.js';
export {
  type DomainEvent,
  type DomainEventType,
  type HandledEvent,
  handleNextEvent,
} from './domain-events.js';
export { type EditedUser, editUser, type UserEdit } from './edit-user.js';
export {
  type CalendarSource,
  type DueRefresh,
  recordRefresh,
  setCalendarSource,
  takeDueRefreshes,
} from './refresh-calendar.js';
export { listReminders, type ReminderRun, type ReminderView, readReminder } from './reminders.js';
export type { RescheduleReport } from './reschedule-events.js';
export { type ScanOptions, scanTasks, type TaskScanResult } from './scan-tasks.js';
export {
  type CalendarChange,
  type CalendarRemoval,
  type RetimeReport,
  removeCalendar,
  retimeStale,
  setCalendar,
} from './set-calendar.js';
export {
  createTask,
  deleteTask,
  editTask,
  listTasks,
  readTask,
  type TaskDraft,
  type TaskEdit,
  type TaskView,
} from './tasks.js';
export {
  createTemplate,
  deleteTemplate,
  type FilledTemplate,
  fillTemplate,
  findTemplate,
  listTemplates,
  replaceTemplate,
} from './templates.js';
export { listUsers, readUser, type UserEventView, type UserView } from './users.js';

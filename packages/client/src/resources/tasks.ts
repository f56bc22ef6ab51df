import type { Calls } from '../transport/calls.js';
import type { CallOptions } from '../transport/transport.js';
import type { Task, TaskInput, TaskPatch, TaskScan } from '../types/systems.js';
import { EditableCollection } from './collection.js';

/** Tasks with a due date. Each gets one reminder, within the last 24 hours before it is due. */
export class Tasks extends EditableCollection<Task, TaskInput, TaskPatch, { id: string }> {
  constructor(calls: Calls) {
    super(calls, '/v1/tasks');
  }

  /**
   * Scans now for tasks that are due within 24 hours, and sends their reminders. A worker also scans by itself, every
   * hour unless the installation is configured otherwise. A repeated scan sends no second reminder of a task.
   */
  scan(options?: CallOptions): Promise<TaskScan> {
    return this.calls.post('/v1/tasks/scan', undefined, options);
  }
}

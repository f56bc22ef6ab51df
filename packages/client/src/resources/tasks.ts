import type { Calls } from '../transport/calls.js';
import type { CallOptions } from '../transport/transport.js';
import type { Task, TaskInput, TaskPatch, TaskScan } from '../types/systems.js';
import { EditableCollection } from './collection.js';

/** Tasks with a due date. Each gets one reminder, a day before it is due. */
export class Tasks extends EditableCollection<Task, TaskInput, TaskPatch, { id: string }> {
  constructor(calls: Calls) {
    super(calls, '/v1/tasks');
  }

  /** Runs the hourly task scan now. Safe to repeat: a task gets only one reminder. */
  scan(options?: CallOptions): Promise<TaskScan> {
    return this.calls.post('/v1/tasks/scan', undefined, options);
  }
}

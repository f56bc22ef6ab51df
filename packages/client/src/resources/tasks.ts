import type { Calls } from '../transport/calls.js';
import type { CallOptions } from '../transport/transport.js';
import type { Task, TaskInput, TaskPatch, TaskScan } from '../types/systems.js';
import { EditableCollection } from './collection.js';

/** Tasks with a due date, each reminded of once a day before it. */
export class Tasks extends EditableCollection<Task, TaskInput, TaskPatch, { id: string }> {
  constructor(calls: Calls) {
    super(calls, '/v1/tasks');
  }

  /** Runs the hourly scan now. Twice does no harm: a task that was reminded of is not reminded of again. */
  scan(options?: CallOptions): Promise<TaskScan> {
    return this.calls.post('/v1/tasks/scan', undefined, options);
  }
}

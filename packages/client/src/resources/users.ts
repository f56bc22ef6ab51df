import type { Calls, ChangeOptions } from '../transport/calls.js';
import { pathSegment } from '../transport/encode.js';
import type { DeletedUser, User, UserEventInput, UserInput, UserPatch } from '../types/systems.js';
import { EditableCollection } from './collection.js';

/** Users with birthdays and other yearly events. */
export class Users extends EditableCollection<User, UserInput, UserPatch, DeletedUser> {
  constructor(calls: Calls) {
    super(calls, '/v1/users');
  }

  /** Adds a yearly event, such as an anniversary. */
  addEvent(id: string, event: UserEventInput, options?: ChangeOptions): Promise<User> {
    return this.calls.post(`${this.at(id)}/events`, event, options);
  }

  removeEvent(id: string, name: string, options?: ChangeOptions): Promise<DeletedUser> {
    const path = `${this.at(id)}/events/${pathSegment(name)}`;
    return this.calls.change({ method: 'DELETE', path }, options);
  }
}

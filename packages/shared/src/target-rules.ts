import type { Problem } from '@carillon/recurrence';
import type { ProjectLimits } from './contracts/tenancy.js';
import type { Target } from './plan.js';

export const DEFAULT_PROJECT = 'default';

/** Handlers that every project may name: they do nothing outside of Carillon. */
const BUILT_IN_HANDLERS = ['noop', 'log'];
const ALL = '*';

/**
 * The target of users, tasks and reminders that name none, in a project without a default target: their messages go to
 * the worker's log. A schedule has no such fallback and must name its target.
 */
export const SYSTEM_TARGET: Target = { type: 'handler', name: 'log' };

/** The project that a target belongs to, and its limits. */
export interface TargetOwner {
  /** The project's key. */
  project: string;
  limits: ProjectLimits;
}

export interface AllowedTargets {
  /** Queues besides those whose name begins with the project's key and a dot. Null if all queues are allowed. */
  queues: string[] | null;
  /** Names of handlers, or `*` for all. */
  handlers: string[];
  calls: boolean;
}

/**
 * The queues, handlers and calls that a project may use as targets, besides its own queues and the built-in handlers.
 * The default project belongs to the operator, who wrote the handlers and pays for the calls: it may use all of them
 * unless its limits say otherwise. Every other project may use none unless its limits say so.
 */
export function allowedTargets({ project, limits }: TargetOwner): AllowedTargets {
  const isDefault = project === DEFAULT_PROJECT;
  return {
    queues: isDefault ? null : (limits.queues ?? []),
    handlers: limits.handlers ?? (isDefault ? [ALL] : []),
    calls: limits.calls ?? isDefault,
  };
}

/** Says why a project may not use a target; null if it may. */
export function targetProblem(target: Target, owner: TargetOwner): Problem | null {
  const { queues, handlers, calls } = allowedTargets(owner);
  const { project } = owner;
  if (target.type === 'queue' && queues !== null) {
    const isOwn = target.queue.startsWith(`${project}.`) || queues.includes(target.queue);
    if (!isOwn)
      return {
        field: 'target.queue',
        message: `project ${project} may use queues whose name begins with "${project}.", and those in its limits.queues; "${target.queue}" is neither`,
      };
  }
  if (target.type === 'handler') {
    const isAllowed =
      BUILT_IN_HANDLERS.includes(target.name) || handlers.includes(ALL) || handlers.includes(target.name);
    if (!isAllowed)
      return {
        field: 'target.name',
        message: `project ${project} may not run the handler "${target.name}"; an admin of the default project can add it to its limits.handlers`,
      };
  }
  if (target.type === 'call' && !calls)
    return {
      field: 'target.type',
      message: `project ${project} may not make calls; an admin of the default project can set its limits.calls`,
    };
  return null;
}

import type { Problem } from '@carillon/recurrence';
import type { ProjectLimits } from './contracts/tenancy.js';
import type { Target } from './plan.js';
export declare const DEFAULT_PROJECT = "default";
/**
 * The target of users, tasks and reminders that name none, in a project without a default target: their messages go to
 * the worker's log. A schedule must name its target.
 */
export declare const SYSTEM_TARGET: Target;
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
export declare function allowedTargets({ project, limits }: TargetOwner): AllowedTargets;
/** Says why a project may not use a target; null if it may. */
export declare function targetProblem(target: Target, owner: TargetOwner): Problem | null;

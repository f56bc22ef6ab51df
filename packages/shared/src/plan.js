/** The handler that a plan's target names; null for every other kind of target. */
export const handlerOf = ({ target }) => target.type === 'handler' ? target.name : null;
/** True if a claim must count the schedule's open runs before it starts another one. */
export function isCounted(plan) {
    return plan.overlap !== 'allow' || plan.maxConcurrentRuns !== null || plan.dependsOn !== null;
}
//# sourceMappingURL=plan.js.map
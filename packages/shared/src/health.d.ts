/** How far a clock may be off before it is reported. Bells are set to 5 ms, and people notice a second. */
export declare const LARGEST_CLOCK_OFFSET_MS = 1000;
/** Whether Redis takes writes, and if not, why. A server that answers PING may still refuse every write. */
export declare const REDIS_STATES: readonly ['up', 'read_only', 'out_of_memory', 'access_denied', 'down'];
export type RedisState = (typeof REDIS_STATES)[number];
/** Every reason for which an installation is not ok. A new reason is added here, and judged in `judgeHealth`. */
export declare const HEALTH_REASON_CODES: readonly ['starting', 'stopping', 'postgres_down', 'engine_unreadable', 'redis_down', 'redis_read_only', 'redis_out_of_memory', 'redis_access_denied', 'no_workers', 'overdue', 'handler_missing', 'clock_offset', 'circuits_open', 'dead_letters_rising', 'drift_not_falling', 'partitions_missing', 'tzdata_differs', 'audit_differences'];
export type HealthReasonCode = (typeof HEALTH_REASON_CODES)[number];
export interface HealthReason {
    code: HealthReasonCode;
    /** The problem, and what to do about it. */
    message: string;
}
export type HealthStatus = 'ok' | 'degraded' | 'down';
export interface Health {
    status: HealthStatus;
    reasons: HealthReason[];
}
/** The state of the engine, read from Postgres. Instants are by its clock. */
export interface EngineFacts {
    now: number;
    workersAlive: number;
    /** The longest sweep interval of the live workers. */
    sweepIntervalMs: number;
    /** When the oldest due row that a live worker could deliver was due. */
    oldestDeliverableAt: number | null;
    /** Number of the oldest due rows whose handler no live worker has. */
    dueWithoutHandler: number;
    /** The clock offset of the live worker whose clock differs most from Postgres's; positive if that clock is ahead. */
    largestClockOffsetMs: number;
    /** Circuits for which deliveries wait, over all projects and live workers. */
    openCircuits: number;
    /** Runs that failed for good in the last five minutes, and attempts that succeeded. */
    failedLately: number;
    succeededLately: number;
    /** Differences that sweeps found in each of the last three whole minutes, oldest first. */
    driftByMinute: readonly number[];
    /** How many of the current and the next month have no partition. */
    missingPartitions: number;
    /**
     * Occurrences that the audit found to differ from the runs that exist. The number is 0 after a day without
     * differences.
     */
    auditDifferences: number;
    /** The distinct versions of time zone data of the live workers. */
    tzdataVersions: string[];
}
/** A process that starts or stops is not ready, however healthy its servers are. */
export type Phase = 'starting' | 'running' | 'stopping';
/** The health of a process that is starting or stopping. */
export declare const healthInPhase: (phase: Exclude<Phase, 'running'>) => Health;
/** The servers and workers that an installation depends on. `engine` is null if its facts could not be read in time. */
export interface HealthFacts {
    isPostgresUp: boolean;
    engine: EngineFacts | null;
    redis: RedisState;
}
/** The state of an installation, with every reason for which it is not ok. */
export declare function judgeHealth({ isPostgresUp, engine, redis }: HealthFacts): Health;

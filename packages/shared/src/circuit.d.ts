/**
 * A circuit breaker for one origin. Closed: every delivery may go. Open: no delivery may go until the wait is over.
 * Half open: one probe may go at a time; its success closes the circuit, its failure opens it for longer.
 */
export declare class Circuit {
    #private;
    private readonly firstWaitMs;
    constructor(firstWaitMs: number);
    get isOpen(): boolean;
    /** How long the circuit has been open. */
    openForMs(now: number): number;
    /** The time until the next delivery may go; 0 if one may go now. */
    waitMs(now: number): number;
    /**
     * True while the circuit is open and deliveries wait for it. A deferred delivery returns within twice the wait and
     * probes the origin. If none has returned by then, no delivery is waiting any more.
     */
    isHoldingBack(now: number): boolean;
    /** Begins a delivery that `waitMs` allowed; returns true if it is the probe. */
    begin(): boolean;
    succeeded(): void;
    /** Returns true if this failure opened the circuit. */
    failed(isProbe: boolean, now: number): boolean;
    /** A probe that was aborted says nothing about the origin, so the next delivery may probe. */
    calledOff(isProbe: boolean): void;
}

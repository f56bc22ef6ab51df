/**
 * An event of the simulation at an instant. Events of the same instant are ordered by their rank, then by when they
 * were added.
 */
export interface Timed {
    at: number;
    rank: number;
}
/** A binary heap: takes events out in the order of their time. */
export declare class AgendaHeap<E extends Timed> {
    #private;
    get nextAt(): number | null;
    add(event: E): void;
    take(): E | undefined;
}

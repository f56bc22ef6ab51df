import type { BreachKind } from '../slo/judge-slo.js';
/** A breach as a message reports it. Instants are milliseconds. */
export interface ToldAlert {
    id: number;
    dedupId: string;
    scheduleId: string;
    scheduleName: string | null;
    kind: BreachKind;
    occurrenceAt: number;
    sentence: string;
    /**
     * The sentence of the ledger for the occurrence, as it is when the message is composed; null if its schedule was
     * removed.
     */
    why: string | null;
    openedAt: number;
    resolvedAt: number | null;
    resolution: string | null;
}
/** The content of a message to a channel, as it is stored until it is sent. */
export type AlertMessageContent = {
    type: 'alerts';
    opened: ToldAlert[];
    resolved: ToldAlert[];
} | {
    type: 'test';
    actor: string;
};
/** The subject of a message, in one line. */
export declare function summarizeMessage(content: AlertMessageContent): string;
/** The message as plain text: for each alert a sentence, the sentence of the ledger, and a link. */
export declare function spellMessage(content: AlertMessageContent, linkTo: (scheduleId: string) => string): string;

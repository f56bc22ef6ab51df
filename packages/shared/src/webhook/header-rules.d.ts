import type { WebhookTarget } from '../plan.js';
/** Problems of a webhook target that concern several of its fields. */
export declare function webhookProblems({ method, body, headers, }: Pick<WebhookTarget, 'method' | 'body' | 'headers'>): {
    field: 'body' | 'headers';
    message: string;
}[];
/** Returns what is wrong with the headers of a target, or null. */
export declare function headersProblem(headers: Readonly<Record<string, string>>): string | null;

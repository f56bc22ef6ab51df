import { z } from 'zod';
import { headersProblem } from '../webhook/header-rules.js';
import { refuseWith, WebUrl } from './fields.js';

const WebhookTarget = z.strictObject({
  type: z.literal('webhook'),
  url: WebUrl,
  headers: z.record(z.string(), z.string()).superRefine(refuseWith(headersProblem)).default({}),
});

const QueueTarget = z.strictObject({
  type: z.literal('queue'),
  queue: z.string().regex(/^[A-Za-z0-9_.-]{1,128}$/, 'expected 1 to 128 letters, digits, "_", "." or "-"'),
});

const HandlerTarget = z.strictObject({ type: z.literal('handler'), name: z.string().min(1).max(128) });

const CallTarget = z.strictObject({
  type: z.literal('call'),
  number: z.string().regex(/^\+[1-9]\d{6,14}$/, 'expected a phone number in E.164 form, such as +4930123456'),
  assistantId: z.string().max(128).nullable().default(null),
  phoneNumberId: z.string().max(128).nullable().default(null),
});

export const Target = z
  .discriminatedUnion('type', [WebhookTarget, QueueTarget, HandlerTarget, CallTarget])
  .meta({ id: 'Target' });

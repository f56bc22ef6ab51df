const header = (name: string, description: string, { required = true } = {}) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

const SIGNED = [
  header('webhook-timestamp', 'Seconds since 1970.'),
  header(
    'webhook-signature',
    'Standard Webhooks: one or more signatures `v1,<base64>` over `<webhook-id>.<webhook-timestamp>.<body>`, separated by spaces. The header is left out if there is no secret.',
    { required: false },
  ),
];

const RESPONSES = {
  '2XX': { description: 'The run succeeded. The `id` of a JSON answer is kept as `externalId`.' },
  '410': { description: 'The run fails and its schedule pauses.' },
  '4XX': { description: 'The run fails at once; 408, 425 and 429 are tried again.' },
  '5XX': { description: 'The delivery is tried again; `Retry-After` is honoured.' },
};

const RECEIPT_RESPONSES = {
  '2XX': { description: 'The receipt was received.' },
  '5XX': { description: 'The receipt is sent again, four times at most.' },
};

const jsonOf = (schema: string) => ({
  required: true,
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const receipt = (operationId: string, field: string, when: string) => ({
  post: {
    operationId,
    summary: `A receipt, sent to the \`${field}\` of a schedule when a run ${when}`,
    tags: ['Webhooks'],
    security: [],
    parameters: [header('webhook-id', 'The id of the receipt.'), ...SIGNED],
    requestBody: jsonOf('WebhookReceipt'),
    responses: RECEIPT_RESPONSES,
  },
});

/** The requests that Carillon sends. */
export const WEBHOOKS = {
  scheduleDue: {
    post: {
      operationId: 'scheduleDue',
      summary: 'A delivery, sent to the URL of a target of type webhook',
      description:
        'The target may choose another `method`, further `headers`, and `body: "payload"`: the body is then the payload of the schedule alone.',
      tags: ['Webhooks'],
      security: [],
      parameters: [
        header(
          'webhook-id',
          'The id of the run. It is the same for every attempt and replay, so deduplicate by it.',
        ),
        ...SIGNED,
        header('x-idempotency-key', 'The same value as in `webhook-id`.'),
        header('x-attempt-key', 'The id of the attempt.'),
      ],
      requestBody: jsonOf('WebhookDelivery'),
      responses: RESPONSES,
    },
  },
  runSucceeded: receipt('runSucceeded', 'onSuccess', 'has succeeded'),
  runFailed: receipt('runFailed', 'onFailure', 'has failed for good'),
  alert: {
    post: {
      operationId: 'alert',
      summary: 'Breaches of objectives and their recoveries, sent to an alert channel of the type webhook',
      tags: ['Webhooks'],
      security: [],
      parameters: [
        header('webhook-id', 'The id of the message. It is the same for every try, so deduplicate by it.'),
        ...SIGNED,
        header('x-idempotency-key', 'The same value as in `webhook-id`.'),
      ],
      requestBody: jsonOf('WebhookAlert'),
      responses: {
        '2XX': { description: 'The message was received.' },
        '5XX': { description: 'The message is sent again, five times at most.' },
      },
    },
  },
};

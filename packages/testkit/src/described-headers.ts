import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../../apps/api/openapi.json', import.meta.url));

interface DescribedWebhook {
  parameters: { name: string; in: string; required: boolean }[];
  requestBody: { content: Record<string, unknown> };
}

/** The headers of HTTP itself, which the OpenAPI document does not describe. */
const OF_HTTP = ['accept', 'accept-encoding', 'connection', 'content-length', 'host', 'user-agent'];

/**
 * Compares the headers of a request that Carillon has sent with the webhook of the OpenAPI document. Returns the
 * required headers that are missing and the headers that are not described. `others` are the headers that the test has
 * added to the target.
 */
export function headersUnlikeDescribed(
  webhook: 'scheduleDue' | 'runSucceeded' | 'runFailed' | 'alert',
  sent: IncomingHttpHeaders,
  others: readonly string[] = [],
): { missing: string[]; undescribed: string[] } {
  const { webhooks } = JSON.parse(readFileSync(FILE, 'utf8'));
  const { parameters, requestBody } = webhooks[webhook].post as DescribedWebhook;
  const described = parameters.map(({ name }) => name);
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const known = [...described, ...OF_HTTP, ...others, 'content-type'];
  const missing = required.filter((name) => sent[name] === undefined);
  if (requestBody.content[sent['content-type'] ?? ''] === undefined) missing.push('content-type');
  return { missing, undescribed: Object.keys(sent).filter((name) => !known.includes(name)) };
}

/** The result of `headersUnlikeDescribed` if the request has exactly the headers that are described. */
export const AS_DESCRIBED = { missing: [], undescribed: [] };

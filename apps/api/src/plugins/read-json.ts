import { unstorable } from '@carillon/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../problem.js';

/** Only these can stand for what Postgres does not keep; without them, and with few brackets, there is nothing to look for. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;
const FEW_BRACKETS = 64;

/**
 * Reads bodies as JSON: `__proto__` is refused, and so is what could not be kept. An empty body is no body, whatever its
 * content type says: many clients send one with every POST.
 */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    if (text.trim() === '') return done(null, undefined);
    parse(request, text, (error, value) => {
      const problem = !error && isSuspect(text) ? unstorable(value) : null;
      if (problem) done(invalid([{ ...problem, field: problem.field || 'body' }]), undefined);
      else done(error, value);
    });
  });
}

function isSuspect(text: string): boolean {
  if (SUSPECT.test(text)) return true;
  let brackets = 0;
  for (let i = 0; i < text.length && brackets <= FEW_BRACKETS; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) brackets++;
  }
  return brackets > FEW_BRACKETS;
}

/** The same for what stands in the address. */
export async function refuseUnstorableAddress({ params, query }: FastifyRequest): Promise<void> {
  const problem = unstorable(params) ?? unstorable(query);
  if (problem) throw invalid([problem]);
}

import { markBigIntegers, reviveBigIntegers, unstorable } from '@carillon/shared';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from './problem.js';

/**
 * JSON escapes that may stand for text that Postgres cannot store: NUL and surrogates. Postgres refuses a surrogate
 * only without its other half, so a body with one of these escapes is parsed first and then checked.
 */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;
/** A body with at most this many opening brackets cannot be nested too deeply, so its depth is not checked. */
const MAX_UNCHECKED_BRACKETS = 64;

/**
 * Parses JSON bodies. An integer beyond 2^53 becomes a BigInt, so that a payload keeps its digits. `__proto__` and
 * values that Postgres cannot store are refused. An empty body counts as no body, because many clients send
 * `content-type: application/json` with every POST.
 */
export function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser(['application/json', 'text/plain']);
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body as string;
    if (text.trim() === '') return done(null, undefined);
    const marked = markBigIntegers(text);
    parse(request, marked?.text ?? text, (error, value) => {
      const problem = !error && needsCheck(text) ? unstorable(value) : null;
      if (problem) done(invalid([{ ...problem, field: problem.field || 'body' }]), undefined);
      else done(error, !error && marked ? reviveBigIntegers(value, marked.mark) : value);
    });
  });
}

function needsCheck(text: string): boolean {
  if (UNSTORABLE_ESCAPE.test(text)) return true;
  let brackets = 0;
  for (let i = 0; i < text.length && brackets <= MAX_UNCHECKED_BRACKETS; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) brackets++;
  }
  return brackets > MAX_UNCHECKED_BRACKETS;
}

/** A hook that refuses path and query values that Postgres cannot store. */
export async function refuseUnstorableAddress({ params, query }: FastifyRequest): Promise<void> {
  const problem = unstorable(params) ?? unstorable(query);
  if (problem) throw invalid([problem]);
}

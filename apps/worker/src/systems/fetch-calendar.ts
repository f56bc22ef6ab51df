import { hostProblem } from '@carillon/shared';
import { Agent, request } from 'undici';
import { NameResolver } from '../delivery/names/name-resolver.js';
import { vettedLookup } from '../delivery/targets/vetted-lookup.js';

const MAX_CALENDAR_BYTES = 1_000_000;
const TIMEOUT_MS = 15_000;
const MAX_REDIRECTS = 3;

export type FetchedCalendar = { ok: true; text: string } | { ok: false; problem: string };

/**
 * Fetches the .ics file of a calendar. Every address, including those of redirects, is checked like the address of a
 * webhook: it must be public, unless the operator allows private targets. Never throws.
 */
export async function fetchCalendar(
  url: string,
  { allowPrivate, dnsServers }: { allowPrivate: boolean; dnsServers: readonly string[] },
): Promise<FetchedCalendar> {
  const names = new NameResolver({ servers: [...dnsServers] });
  const agent = new Agent({
    connect: { timeout: TIMEOUT_MS, lookup: vettedLookup({ allowPrivate, names }) },
  });
  try {
    let address = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const problem = hostProblem(address, { allowPrivate });
      if (problem !== null) return { ok: false, problem };
      const answer = await request(address, {
        dispatcher: agent,
        headers: { 'user-agent': 'Carillon', accept: 'text/calendar', 'accept-encoding': 'identity' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const { location } = answer.headers;
      if (answer.statusCode >= 300 && answer.statusCode < 400 && typeof location === 'string') {
        await answer.body.dump();
        address = new URL(location, address).href;
        continue;
      }
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        return { ok: false, problem: `the server answered with status ${answer.statusCode}` };
      }
      return await readText(answer.body);
    }
    return { ok: false, problem: `it was redirected more than ${MAX_REDIRECTS} times` };
  } catch (error) {
    return { ok: false, problem: `it could not be fetched: ${(error as Error).message}` };
  } finally {
    await agent.destroy();
    names.close();
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<FetchedCalendar> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_CALENDAR_BYTES)
      return { ok: false, problem: `the file has more than ${MAX_CALENDAR_BYTES} bytes` };
  }
  return { ok: true, text: Buffer.concat(chunks).toString('utf8') };
}

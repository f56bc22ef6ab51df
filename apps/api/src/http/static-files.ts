import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A built file of the dashboard or the guide, with the compressed forms that the build left beside it. */
export interface StaticFile {
  type: string;
  content: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
  isHashed: boolean;
}

/** A file whose name carries a hash of its content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Reads the files of a build into memory, by their path in the folder. */
export function readStaticFiles(folder: string): Map<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = join(folder, name);
    files.set(name.replaceAll('\\', '/'), {
      type,
      content: readFileSync(path),
      br: readIfThere(`${path}.br`),
      gzip: readIfThere(`${path}.gz`),
      isHashed: name.startsWith('assets'),
    });
  }
  return files;
}

/** Sends a file in the best encoding that the client accepts. */
export function sendStaticFile(request: FastifyRequest, reply: FastifyReply, file: StaticFile): FastifyReply {
  const encodings = String(request.headers['accept-encoding'] ?? '');
  const encoding =
    file.br && /\bbr\b/.test(encodings) ? 'br' : file.gzip && /\bgzip\b/.test(encodings) ? 'gzip' : null;
  if (encoding) reply.header('content-encoding', encoding);
  if (!reply.hasHeader('cache-control'))
    reply.header('cache-control', file.isHashed ? IMMUTABLE : 'public, max-age=3600');
  return reply
    .header('vary', 'accept-encoding')
    .type(file.type)
    .send((encoding && file[encoding]) || file.content);
}

const readIfThere = (path: string) => (existsSync(path) ? readFileSync(path) : null);

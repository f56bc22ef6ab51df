import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Bundles the API and the worker from their sources into two files. A test run starts hundreds of these processes, and
 * loading each of their 1,400 files one by one takes a second of CPU time per process.
 */
export async function bundleApps(folder: string): Promise<void> {
  const bundle = await rolldown({
    input: { api: join(root, 'apps/api/src/main.ts'), worker: join(root, 'apps/worker/src/main.ts') },
    platform: 'node',
    resolve: { conditionNames: ['@carillon/source', 'node', 'default'] },
    plugins: [leaveOut(), keepFileUrls()],
    logLevel: 'silent',
  });
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
  });
}

/** Packages that read files beside their own code. */
const HAS_FILES = /^@bull-board\/|^@fastify\/swagger-ui$/;

/** Leaves some modules out of the bundles. The bundles import these modules at run time. */
function leaveOut(): Plugin {
  const definitions = pathToFileURL(join(root, 'apps/worker/dist/define.js')).href;
  return {
    name: 'leave-out',
    resolveId(source, importer) {
      // Modules with handlers import the built `define.js`, which collects their definitions. The worker must read the
      // same list, so its bundle imports that file too.
      if (source === './define.js' && importer?.startsWith(join(root, 'apps/worker/src')))
        return { id: definitions, external: true };
      if (HAS_FILES.test(source) && importer?.startsWith(join(root, 'apps')))
        return { id: pathToFileURL(createRequire(importer).resolve(source)).href, external: true };
      return null;
    },
  };
}

/**
 * Replaces `import.meta.url` by the URL of the source file, so that a bundled module still finds the files beside its
 * source.
 */
function keepFileUrls(): Plugin {
  return {
    name: 'keep-file-urls',
    transform(code, id) {
      if (!id.startsWith(root) || !code.includes('import.meta.url')) return null;
      return code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
    },
  };
}

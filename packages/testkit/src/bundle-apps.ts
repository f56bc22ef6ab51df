import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Bundles the API and the worker, which tests start as processes. */
export const bundleApps = (folder: string): Promise<void> =>
  bundle({ api: 'apps/api/src/main.ts', worker: 'apps/worker/src/main.ts' }, folder);

/** Bundles the package `carillon`, which programs of the guides import. */
export const bundleLibrary = (folder: string): Promise<void> =>
  bundle(
    { index: 'packages/carillon/src/index.ts', testing: 'packages/carillon/src/testing/index.ts' },
    folder,
  );

/**
 * Bundles each entry from its sources into one file. A test run starts hundreds of these programs, and without a bundle
 * each start would load 1,400 files, which takes a second of CPU time.
 */
async function bundle(entries: Readonly<Record<string, string>>, folder: string): Promise<void> {
  const built = await rolldown({
    input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(root, path)])),
    platform: 'node',
    resolve: { conditionNames: ['@carillon/source', 'node', 'default'] },
    plugins: [leaveOut(), keepFileUrls()],
    logLevel: 'silent',
  });
  await built.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name].mjs',
  });
}

/**
 * Packages that read files beside their own code, and so can't be bundled. The BullMQ adapter of Bull Board reads none.
 * It is bundled, because an adapter outside of the bundle would load BullMQ a second time, which takes 0.3 seconds of
 * CPU time per API.
 */
const HAS_FILES = /^@bull-board\/(?!api\/bullMQAdapter$)|^@fastify\/swagger-ui$/;

/** Leaves some modules out of the bundles, so that the bundles import them at run time. */
function leaveOut(): Plugin {
  const embedded = pathToFileURL(join(root, 'packages/embedded/dist/index.js')).href;
  const definitions = pathToFileURL(join(root, 'apps/worker/dist/define.js')).href;
  return {
    name: 'leave-out',
    resolveId(source, importer) {
      // A module with handlers imports the built `define.js`, which collects the handlers in a list. The bundled worker
      // must read the same list, so it imports that file too.
      const isDefine =
        source === '@carillon/worker/define' ||
        (source === './define.js' && importer?.startsWith(join(root, 'apps/worker/src')));
      if (isDefine) return { id: definitions, external: true };
      // This package starts its servers as programs that are files beside its own code.
      if (source === '@carillon/embedded') return { id: embedded, external: true };
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

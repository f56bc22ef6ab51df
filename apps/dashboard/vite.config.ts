import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Writes a brotli and a gzip version beside each file, so that the API need not compress them. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle({ dir = 'dist' }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|svg)$/.test(name)) continue;
        const content = readFileSync(join(dir, name));
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content, { params }));
        writeFileSync(join(dir, `${name}.gz`), gzipSync(content, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  // The URLs are relative, because the API sets the base path in the page at run time.
  base: './',
  resolve: { conditions: ['@carillon/source', 'module', 'browser', 'production', 'import', 'default'] },
  plugins: [react(), tailwindcss(), precompress()],
  build: { manifest: true, target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
  server: { proxy: { '/v1': 'http://127.0.0.1:3000' } },
});

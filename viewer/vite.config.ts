import { defineConfig } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { outDir: 'dist', target: 'es2022', reportCompressedSize: false },
  // A module could not be started from a file's own text on a disk.
  worker: { format: 'iife' },
});

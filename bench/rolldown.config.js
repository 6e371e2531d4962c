import { defineConfig } from 'rolldown';

const dir = 'node_modules/.cache/natter-bench';

export default defineConfig([
  // The bare programs contain their packages, as natter does.
  {
    input: {
      bare: 'bench/programs/bare.ts',
      'bare-batch': 'bench/programs/bare-batch.ts',
      openai: 'bench/programs/openai.ts',
      usage: 'bench/programs/usage.ts',
    },
    platform: 'node',
    output: { dir, format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name].cjs' },
  },
  {
    input: {
      main: 'bench/main.ts',
      service: 'bench/service.ts',
      'static-screen': 'bench/programs/static-screen.tsx',
    },
    platform: 'node',
    external: /^[^./]/,
    output: { dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name].js' },
  },
]);

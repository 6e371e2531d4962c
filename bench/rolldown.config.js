import { defineConfig } from 'rolldown';

// CommonJS like natter itself, because Node starts it faster and the comparison must be fair.
export default defineConfig({
  input: {
    bench: 'bench/main.ts',
    service: 'bench/support/service.ts',
    bare: 'bench/programs/bare.ts',
    openai: 'bench/programs/openai.ts',
    'report-memory': 'bench/programs/report-memory.ts',
  },
  platform: 'node',
  output: {
    dir: 'node_modules/.cache/natter-bench-programs',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  },
});

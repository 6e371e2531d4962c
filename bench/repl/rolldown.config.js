import { defineConfig } from 'rolldown';

// Bundled like natter itself, so that all screens use the same Ink.
export default defineConfig({
  input: {
    main: 'bench/repl/main.ts',
    program: 'bench/repl/program.ts',
    service: 'bench/support/service.ts',
  },
  platform: 'node',
  external: ['@lydell/node-pty', 'react-devtools-core'],
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  output: {
    dir: 'node_modules/.cache/natter-bench-repl',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  },
});

import { defineConfig } from 'rolldown';
import { chalkBundling } from './scripts/bundle/chalk.js';
import { codeSplitting } from './scripts/bundle/chunks.js';
import { commanderBundling } from './scripts/bundle/commander.js';
import { confBundling } from './scripts/bundle/conf.js';
import { inkBundling } from './scripts/bundle/ink.js';
import { licenseCollection } from './scripts/bundle/licenses.js';

/** A package that is not installed would be left to the run, which has none. */
function refuseMissing(level, log, handle) {
  handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
}

/** Names a command's chunks after its folder: `batch.cjs` for the command, `batch-run.cjs` for what it runs. */
function nameChunk({ facadeModuleId }) {
  const [, command, file] = /commands[\\/](\w+)[\\/]([\w-]+)\.ts$/.exec(facadeModuleId ?? '') ?? [];
  if (command === undefined || !/^(?:command|(?:[\w-]+-)?run)$/.test(file)) return '[name].cjs';
  return file === 'command' ? `${command}.cjs` : `${command}-${file}.cjs`;
}

// CommonJS output: Node starts it about 18 ms sooner than the same bundle as ES modules.
const program = defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  onLog: refuseMissing,
  preserveEntrySignatures: 'allow-extension',
  // Yoga is asked for its loader by a name that only the bundle's stand-in has.
  checks: { ineffectiveDynamicImport: false },
  plugins: [
    inkBundling(),
    chalkBundling(),
    commanderBundling(),
    confBundling(),
    licenseCollection(),
  ],
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    // Node's loader of ES modules takes 2 ms for the first module of its own that it is asked for.
    dynamicImportInCjs: false,
    chunkFileNames: nameChunk,
    cleanDir: true,
    // For developers: the maps are not published, and no chunk speaks of them.
    sourcemap: 'hidden',
    codeSplitting: codeSplitting(),
    minify: true,
    // One character beyond Latin-1 makes V8 hold and compile a whole file as UTF-16, in twice the time.
    charset: 'ascii',
  },
});

// `natter/client`: what programs import. Its declarations are written by scripts/package/write-declarations.js.
const library = defineConfig({
  input: { library: 'src/library.ts' },
  platform: 'node',
  onLog: refuseMissing,
  plugins: [licenseCollection()],
  output: {
    dir: 'dist/client',
    format: 'esm',
    entryFileNames: '[name].js',
    // The agents for proxies, which are loaded by the first request that goes through one.
    chunkFileNames: 'proxy-[name].js',
    sourcemap: 'hidden',
  },
});

/** Run by the build: it writes files from the command tree. */
const commandFiles = defineConfig({
  input: 'scripts/package/write-command-files.ts',
  platform: 'node',
  onLog: refuseMissing,
  // To describe a command does not load what it runs.
  external: /[/-]run\.ts$/,
  output: { dir: 'node_modules/.cache/natter-commands', format: 'esm', cleanDir: true },
});

// In this order: the first empties dist.
export default [program, library, commandFiles];

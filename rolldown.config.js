import { defineConfig } from 'rolldown';
import { ajvBundling } from './scripts/bundle/ajv.js';
import { chalkBundling } from './scripts/bundle/chalk.js';
import { codeSplitting } from './scripts/bundle/chunks.js';
import { codeMirrorBundling } from './scripts/bundle/codemirror.js';
import { commanderBundling } from './scripts/bundle/commander.js';
import { confBundling } from './scripts/bundle/conf.js';
import { entitiesBundling } from './scripts/bundle/entities.js';
import { inkBundling, unusedOfInk } from './scripts/bundle/ink.js';
import { licenseCollection } from './scripts/bundle/licenses.js';
import { runtimeRemoval } from './scripts/bundle/runtime.js';
import { fileSharing } from './scripts/bundle/shared-files.js';
import { stringWidthBundling } from './scripts/bundle/string-width.js';
import { yamlBundling } from './scripts/bundle/yaml.js';

/** Rolldown would leave a missing package to run time, where there are none. */
function refuseMissing(level, log, handle) {
  handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
}

/** Names a command's chunks after its folder: `batch.cjs` for the command, `batch-run.cjs` for its run function. */
function nameChunk({ facadeModuleId }) {
  const [, command, file] =
    /commands[\\/]([\w-]+)[\\/]([\w-]+)\.ts$/.exec(facadeModuleId ?? '') ?? [];
  if (command === undefined || !/^(?:command|(?:[\w-]+-)?run)$/.test(file)) return '[name].cjs';
  return file === 'command' ? `${command}.cjs` : `${command}-${file}.cjs`;
}

// The notice about slow plugins depends on the load of the machine.
const quiet = { bundlerTimings: false };

// CommonJS, because Node starts it about 18 ms faster than the same bundle as ES modules.
const program = defineConfig({
  // bin/ready-text.cjs loads the pager without the rest; the library loads the others (scripts/bundle/shared-files.js).
  input: {
    main: 'src/main.ts',
    pager: 'src/terminal/device/pager.ts',
    entities: 'src/entities/entity-names.ts',
  },
  platform: 'node',
  onLog: refuseMissing,
  preserveEntrySignatures: 'allow-extension',
  // `loadLayout` of yoga-layout exists only in the bundle's replacement.
  checks: { ...quiet, ineffectiveDynamicImport: false },
  plugins: [
    ajvBundling(),
    inkBundling(),
    chalkBundling(),
    codeMirrorBundling(),
    stringWidthBundling(),
    commanderBundling(),
    confBundling(),
    entitiesBundling(),
    runtimeRemoval(),
    yamlBundling(),
    licenseCollection(),
  ],
  transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  treeshake: { moduleSideEffects: unusedOfInk },
  output: {
    dir: 'dist',
    format: 'cjs',
    entryFileNames: '[name].cjs',
    // Node's loader of ES modules takes 2 ms for the first built-in module.
    dynamicImportInCjs: false,
    chunkFileNames: nameChunk,
    cleanDir: true,
    // For developers: the maps are not published, and chunks do not refer to them.
    sourcemap: 'hidden',
    codeSplitting: codeSplitting(),
    minify: true,
    // Their licences are in THIRD-PARTY-LICENSES.md.
    comments: false,
    // One character beyond Latin-1 makes V8 store and compile a whole file as UTF-16, in twice the time.
    charset: 'ascii',
  },
});

// `natter/client`, the library. scripts/package/write-declarations.js writes its declarations.
const library = defineConfig({
  input: { library: 'src/library.ts' },
  platform: 'node',
  onLog: refuseMissing,
  checks: quiet,
  plugins: [fileSharing(), licenseCollection()],
  output: {
    dir: 'dist/client',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    // Those of its types are in their own files.
    comments: false,
    sourcemap: 'hidden',
    minify: true,
  },
});

/** The build runs it: it writes files from the command tree. */
const commandFiles = defineConfig({
  input: 'scripts/package/write-command-files.ts',
  platform: 'node',
  onLog: refuseMissing,
  checks: quiet,
  // Describing a command does not need its run function.
  external: /[/-]run\.ts$/,
  output: { dir: 'node_modules/.cache/natter-commands', format: 'esm', cleanDir: true },
});

// In this order: the first empties dist.
export default [program, library, commandFiles];

import { join, relative, sep } from 'node:path';
import { defineConfig } from 'rolldown';
import { licenseCollection } from './scripts/bundle/licenses.js';

/** Rolldown would leave a missing package to run time, where there are none. */
function refuseMissing(level, log, handle) {
  handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
}

// React has a second build, for developers.
const transform = { define: { 'process.env.NODE_ENV': '"production"' } };

// Ink imports it for its developers, if DEV is true, which `takeEnvironment` in src/main.ts prevents.
const external = ['react-devtools-core'];

// The notice about slow plugins depends on the load of the machine; and in a group, many modules share a file.
const checks = { bundlerTimings: false, ineffectiveDynamicImport: false };

const sources = join(import.meta.dirname, 'src');

/** Matches files and folders of src. */
const within = (...paths) => {
  const pattern = new RegExp(`^(?:${paths.join('|')})`);
  return (id) => pattern.test(relative(sources, id).split(sep).join('/'));
};

/**
 * What is loaded together is one file, because each file costs a start a third of a millisecond. A group takes its
 * modules and all that they import statically, except those of earlier groups; so packages that are slow to load, such
 * as ajv and Ink, stay behind a dynamic import.
 */
const groups = [
  { name: 'cli', test: within('main', 'cli/program') },
  {
    name: 'prompt',
    test: within(
      'client/(?!http/undici-network)',
      'commands/chat/(every-run|run)',
      'conversation/journal/',
      'secrets/[^/]*$',
      'storage/',
      'usage/',
    ),
  },
  {
    name: 'commands',
    test: within(
      'cli/',
      'commands/(?!batch/|chat/split|compare/|sandbox/)',
      'conversation/(?!code-blocks|export)',
      'input/(?!attach-others|fetch-page|find-files)',
      'output/(?!word-diff)',
      'prompt-files/(?!write-markdown|yaml)',
      'repl/(composer/keys/|shell/(child-process|external-editor))',
      'terminal/(?!formula|highlight|markdown/)',
    ),
  },
  { name: 'sandbox', test: within('ask/recorded-service', 'recording/', 'sandbox/') },
  {
    name: 'batch',
    test: within('batch/', 'commands/(batch|compare|sandbox)/', 'commands/chat/split'),
  },
  { name: 'markdown', test: within('terminal/(formula|highlight|markdown/)') },
  { name: 'export', test: within('conversation/(code-blocks|export/(?!html))') },
  { name: 'repl', test: within('repl/') },
];

const program = defineConfig({
  input: { main: 'src/main.ts' },
  platform: 'node',
  external,
  onLog: refuseMissing,
  preserveEntrySignatures: false,
  checks,
  plugins: [licenseCollection()],
  transform,
  output: {
    dir: 'dist',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    cleanDir: true,
    // For developers: the maps are not published, and chunks do not refer to them.
    sourcemap: 'hidden',
    codeSplitting: { groups },
    minify: true,
    // Their licences are in THIRD-PARTY-LICENSES.md.
    comments: false,
  },
});

// `natter/client`, the library. scripts/package/write-declarations.js writes its declarations.
const library = defineConfig({
  input: { library: 'src/library.ts' },
  platform: 'node',
  onLog: refuseMissing,
  checks,
  plugins: [licenseCollection()],
  output: {
    dir: 'dist/client',
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    comments: false,
    sourcemap: 'hidden',
    minify: true,
  },
});

// In this order: the first empties dist.
export default [program, library];

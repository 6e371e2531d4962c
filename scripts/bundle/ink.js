import { fileURLToPath } from 'node:url';
import { reconcilerOfInk } from './reconciler.js';
import { separateYoga } from './yoga-file.js';

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Modules replaced by faster ones with the same interface, by ones that CommonJS can contain, or by ones that do nothing. */
const replacements = new Map([
  ['yoga-layout', local('./yoga-layout.js')],
  ['wrap-ansi', local('./wrap-ansi.js')],
  ['slice-ansi', local('./slice-ansi.js')],
  ['cli-truncate', local('./cli-truncate.js')],
  ['signal-exit', local('./signal-exit.js')],
  ['stack-utils', local('./stack-utils.js')],
]);

/**
 * Code removed from Ink: the developer tools with their top-level await; a clock that Node loads with all of
 * `perf_hooks`; and caches of every text ever measured or wrapped.
 */
const edits = [
  { file: /ink[\\/]build[\\/]measure-text\.js$/, from: 'cache.set(text, dimensions);', to: '' },
  { file: /ink[\\/]build[\\/]wrap-text\.js$/, from: 'cache[cacheKey] = wrappedText;', to: '' },
  {
    file: /ink[\\/]build[\\/]reconciler\.js$/,
    from: "if (isDev()) {\n    try {\n        await import('./devtools.js');",
    to: 'if (isDev()) {\n    try {',
  },
  {
    file: /ink[\\/]build[\\/]reconciler\.js$/,
    from: '? await loadPackageJson()',
    to: '? { name: undefined, version: undefined }',
  },
  {
    file: /scheduler\.production\.js$/,
    from: 'if ("object" === typeof performance && "function" === typeof performance.now)',
    to: 'if (false)',
  },
];

/**
 * What Ink needs only to own the terminal: input, cursor, focus and the report of an error. natter uses its layout; the
 * rule removes modules that nothing uses.
 */
export const unusedOfInk = [
  {
    test: /[\\/](?:ink[\\/]build|cli-cursor|restore-cursor|onetime|mimic-fn|code-excerpt|indent-string)[\\/]/,
    sideEffects: false,
  },
];

/** Adapts Ink to CommonJS and to a fast start. Fails the build if the code of Ink is not as expected. */
export function inkBundling() {
  return {
    name: 'ink-bundling',
    resolveId(source, importer) {
      if (source === 'string-width' && !/fast-/.test(importer ?? '')) {
        return this.resolve('fast-string-width', importer);
      }
      return replacements.get(source) ?? null;
    },
    transform(code, id) {
      if (id.endsWith('react-reconciler.production.js')) {
        return { code: reconcilerOfInk(code), map: null };
      }
      if (id.endsWith('yoga-wasm-base64-esm.js')) {
        const { bytes, loader } = separateYoga(code);
        this.emitFile({ type: 'asset', fileName: 'yoga.wasm', source: bytes });
        return { code: loader, map: null };
      }
      const wanted = edits.filter(({ file }) => file.test(id));
      if (wanted.length === 0) return null;
      const edited = wanted.reduce((text, { from, to }) => {
        if (!text.includes(from)) this.error(`${id} no longer contains: ${from}`);
        return text.replace(from, to);
      }, code);
      // Without a map: the edits move no lines, and lines are enough for a library's stack traces.
      return { code: edited, map: null };
    },
  };
}

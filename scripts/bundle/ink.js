import { fileURLToPath } from 'node:url';

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Modules replaced in the bundle: lighter ones with the same interface, or ones CommonJS can hold. */
const replacements = new Map([
  ['yoga-layout', local('./yoga-layout.js')],
  ['wrap-ansi', local('./wrap-ansi.js')],
]);

/**
 * Text taken out of Ink and Yoga: the developer tools with their top-level await; loading WebAssembly from a
 * data: URL by fetch, which starts Node's whole HTTP client; and caches of every text ever measured or wrapped.
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
    file: /yoga-wasm-base64-esm\.js$/,
    from: '"function"!=typeof fetch?',
    to: 'true?',
  },
  { file: /yoga-wasm-base64-esm\.js$/, from: 'import.meta.url', to: '""' },
];

/** Makes Ink fit a CommonJS chunk that starts fast. Fails the build when Ink no longer looks as expected. */
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
      const wanted = edits.filter(({ file }) => file.test(id));
      if (wanted.length === 0) return null;
      const edited = wanted.reduce((text, { from, to }) => {
        if (!text.includes(from)) this.error(`${id} no longer holds: ${from}`);
        return text.replace(from, to);
      }, code);
      // Lines stay where they were, which is all that the maps of a library are good for.
      return { code: edited, map: null };
    },
  };
}

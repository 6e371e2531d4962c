import { fileURLToPath } from 'node:url';

const local = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Modules replaced by faster ones with the same interface, by ones that CommonJS can contain, or by ones that do nothing. */
const replacements = new Map([
  ['yoga-layout', local('./yoga-layout.js')],
  ['wrap-ansi', local('./wrap-ansi.js')],
  ['signal-exit', local('./signal-exit.js')],
  ['stack-utils', local('./stack-utils.js')],
]);

/**
 * Code removed from Ink and Yoga: the developer tools with their top-level await; loading WebAssembly from a data: URL
 * with fetch, which starts Node's whole HTTP client; decoding it character by character; a clock that Node loads with
 * all of `perf_hooks`; and caches of every text ever measured or wrapped.
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
  {
    file: /yoga-wasm-base64-esm\.js$/,
    from: 'var b=xa(a.slice(37)),c=new Uint8Array(b.length);for(a=0;a<b.length;++a)c[a]=b.charCodeAt(a);var d=c',
    to: 'var d=Buffer.from(a.slice(37),"base64")',
  },
  {
    file: /scheduler\.production\.js$/,
    from: 'if ("object" === typeof performance && "function" === typeof performance.now)',
    to: 'if (false)',
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

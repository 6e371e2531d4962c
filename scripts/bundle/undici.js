/** HTTP/2, SOCKS, bodies of `fetch`, the old kind of handlers, and a second build of the parser, for processors with SIMD. */
const unused = [
  'lib/dispatcher/client-h2.js',
  'lib/handler/wrap-handler.js',
  'lib/llhttp/llhttp_simd-wasm.js',
  'lib/web/fetch/body.js',
];

/** Keeps of undici what a client for HTTP/1.1 uses. */
export function undiciBundling() {
  return {
    name: 'undici-bundling',
    load: {
      filter: { id: /[\\/]undici[\\/]lib[\\/]/ },
      handler(id) {
        const path = id.replaceAll('\\', '/');
        return unused.some((name) => path.endsWith(`undici/${name}`))
          ? 'module.exports = {};'
          : null;
      },
    },
  };
}

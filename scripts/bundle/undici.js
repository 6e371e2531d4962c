/** HTTP/2, SOCKS, bodies of `fetch`, the old kind of handlers, and a second build of the parser, for processors with SIMD. */
const unused = [
  'lib/dispatcher/client-h2.js',
  'lib/handler/wrap-handler.js',
  'lib/llhttp/llhttp_simd-wasm.js',
  'lib/web/fetch/body.js',
];

/** The tables that the client uses: the first two. */
function usedConstants(code) {
  const end = code.indexOf('exports.FLAGS = {');
  if (end < code.indexOf('exports.TYPE = {')) throw new Error('not the constants of llhttp');
  return code.slice(0, end);
}

/** WebAssembly as text in hexadecimal digits, which compress better than base64: their pairs stay the bytes. */
function inHexadecimal(code) {
  const [text] = /(?<=')[\w+/=]{1000,}(?=')/.exec(code) ?? [];
  if (text === undefined || !code.includes("'base64'")) throw new Error('no WebAssembly in base64');
  return code
    .replace(text, Buffer.from(text, 'base64').toString('hex'))
    .replace("'base64'", "'hex'");
}

const edits = [
  { file: 'lib/llhttp/constants.js', edit: usedConstants },
  { file: 'lib/llhttp/llhttp-wasm.js', edit: inHexadecimal },
  ...unused.map((file) => ({ file, edit: () => 'module.exports = {};' })),
];

/** Keeps of undici what a client for HTTP/1.1 uses. */
export function undiciBundling() {
  return {
    name: 'undici-bundling',
    transform: {
      filter: { id: /[\\/]undici[\\/]lib[\\/]/ },
      handler(code, id) {
        const path = id.replaceAll('\\', '/');
        const found = edits.find(({ file }) => path.endsWith(`undici/${file}`));
        return found === undefined ? null : { code: found.edit(code), map: null };
      },
    },
  };
}

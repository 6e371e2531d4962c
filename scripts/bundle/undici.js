import { brotliCompressSync } from 'node:zlib';

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

const bytesInBase64 = /(?<=')[\w+/=]{1000,}(?=')/;
const decoding = "Buffer.from(wasmBase64, 'base64')";

/** WebAssembly compressed with Brotli, as text: gzip would compress it by a quarter less, and base64 hardly at all. */
function compressed(code) {
  const [text] = bytesInBase64.exec(code) ?? [];
  if (text === undefined || !code.includes(decoding)) throw new Error('no WebAssembly in base64');
  const bytes = brotliCompressSync(Buffer.from(text, 'base64'));
  return code
    .replace(text, bytes.toString('base64'))
    .replace(decoding, `require('node:zlib').brotliDecompressSync(${decoding})`);
}

const edits = [
  { file: 'lib/llhttp/constants.js', edit: usedConstants },
  { file: 'lib/llhttp/llhttp-wasm.js', edit: compressed },
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

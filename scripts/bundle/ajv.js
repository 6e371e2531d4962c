import { fileURLToPath } from 'node:url';

const uri = fileURLToPath(new URL('./uri.js', import.meta.url));

/** Replaces the reader of addresses of ajv, which also knows the rules of many schemes. */
export function ajvBundling() {
  return {
    name: 'ajv-bundling',
    resolveId: (source) => (source === 'fast-uri' ? uri : null),
  };
}

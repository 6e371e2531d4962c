import { fileURLToPath } from 'node:url';

const uri = fileURLToPath(new URL('./uri.js', import.meta.url));

/** Replaces the reader of addresses of ajv, which also knows the rules of many schemes, and removes a keyword of OpenAPI. */
export function ajvBundling() {
  return {
    name: 'ajv-bundling',
    resolveId: (source) => (source === 'fast-uri' ? uri : null),
    load: {
      filter: { id: /[\\/]ajv[\\/]dist[\\/]vocabularies[\\/]discriminator[\\/]index\.js$/ },
      handler: () => 'exports.default = undefined;',
    },
  };
}

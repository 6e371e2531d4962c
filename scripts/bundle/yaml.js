import { resolve } from 'node:path';

const modules = resolve('node_modules/yaml/browser/dist/index.js');

/**
 * Removes the schemas that no front matter has: YAML 1.1 needs a directive, which a `---` would end, and JSON an option.
 * Tags such as `!!set` stay.
 */
function withoutUnusedSchemas(code) {
  const schemas =
    /\n {4}\['json', schema\$1\],\n {4}\['yaml11'.*\n.*\n\]\);\nconst tagsByName = \{.*?\n\};/s;
  if (!schemas.test(code)) throw new Error('not the schemas of yaml');
  return code.replace(schemas, "\n    ['yaml-1.1', schema],\n]);\nconst tagsByName = { merge };");
}

/** Takes the ES modules of yaml, without the parts that natter does not use; its CommonJS would be bundled whole. */
export function yamlBundling() {
  return {
    name: 'yaml-bundling',
    resolveId: (source) => (source === 'yaml' ? modules : null),
    transform: {
      filter: { id: /[\\/]yaml[\\/]browser[\\/]dist[\\/]schema[\\/]tags\.js$/ },
      handler: (code) => ({ code: withoutUnusedSchemas(code), map: null }),
    },
  };
}

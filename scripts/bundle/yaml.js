import { resolve } from 'node:path';

const modules = resolve('node_modules/yaml/browser/dist/index.js');

/** Takes the ES modules of yaml, without the parts that natter does not use; its CommonJS would be bundled whole. */
export function yamlBundling() {
  return {
    name: 'yaml-bundling',
    resolveId: (source) => (source === 'yaml' ? modules : null),
  };
}

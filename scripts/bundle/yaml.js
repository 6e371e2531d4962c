import { resolve } from 'node:path';

const folder = resolve('node_modules/yaml/browser/dist');

/** What only writes YAML, for which natter has a few lines, and schemas. */
const unused = {
  'doc/applyReviver.js': ['applyReviver'],
  'doc/createNode.js': ['createNode'],
  'schema/json/schema.js': ['schema'],
  'schema/yaml-1.1/omap.js': ['omap'],
  'schema/yaml-1.1/schema.js': ['schema'],
  'schema/yaml-1.1/set.js': ['set'],
  'stringify/stringify.js': ['createStringifyContext'],
  'stringify/stringifyCollection.js': ['stringifyCollection'],
  'stringify/stringifyDocument.js': ['stringifyDocument'],
  'stringify/stringifyNumber.js': ['stringifyNumber'],
  'stringify/stringifyPair.js': ['stringifyPair'],
  'stringify/stringifyString.js': ['stringifyString'],
};

/** Methods that change a document or write it. */
const unusedMethods = {
  'doc/Document.js':
    'clone add addIn createAlias createNode createPair delete deleteIn get getIn has hasIn set setIn toJS toJSON toString',
  'doc/directives.js': 'clone tagString toString',
  'nodes/Alias.js': 'toString',
  'nodes/Collection.js': 'clone addIn deleteIn getIn hasAllNullValues hasIn setIn',
  'nodes/Node.js': 'clone',
  'nodes/Pair.js': 'clone toJSON toString',
  'nodes/YAMLMap.js': 'from add delete get has set toString',
  'nodes/YAMLSeq.js': 'add delete get has set toString from',
  'schema/Schema.js': 'clone',
};

function replaceOnce(code, pattern, replacement) {
  if (!pattern.test(code)) throw new Error(`the code of yaml has no ${pattern}`);
  return code.replace(pattern, replacement);
}

function withoutMethods(code, names) {
  return names
    .split(' ')
    .reduce(
      (text, name) =>
        replaceOnce(text, new RegExp(String.raw`^ {4}(?:static )?${name}\(.*?^ {4}\}\n`, 'ms'), ''),
      code,
    );
}

/** YAML 1.1 needs a directive, and JSON an option; what the other tags describe, such as a set, no JSON can have. */
function withoutUnusedSchemas(code) {
  const schemas = /\n {4}\['json', schema\$1\],\n {4}\['yaml11'.*?const coreKnownTags = \{.*?\};/s;
  return replaceOnce(
    code,
    schemas,
    "\n    ['yaml-1.1', schema],\n]);\nconst tagsByName = { merge };\nconst coreKnownTags = { 'tag:yaml.org,2002:merge': merge };",
  );
}

/** A key that is a list or a mapping becomes JSON. */
function withKeysAsJson(code) {
  return replaceOnce(code, /^ {4}if \(isNode\(key\) && ctx\?\.doc\) \{.*?^ {4}\}\n/ms, '');
}

const edits = {
  'schema/tags.js': withoutUnusedSchemas,
  'nodes/addPairToJSMap.js': withKeysAsJson,
};

function edited(code, file) {
  const names = unused[file];
  if (names !== undefined) return names.map((name) => `export const ${name} = undefined;`).join('');
  const methods = unusedMethods[file];
  if (methods !== undefined) return withoutMethods(code, methods);
  return edits[file]?.(code);
}

/** Takes the ES modules of yaml, without the parts that natter does not use; its CommonJS would be bundled whole. */
export function yamlBundling() {
  return {
    name: 'yaml-bundling',
    resolveId: (source) => (source === 'yaml' ? `${folder}/index.js` : null),
    transform: {
      filter: { id: /[\\/]yaml[\\/]browser[\\/]dist[\\/]/ },
      handler(code, id) {
        const file = id.slice(folder.length + 1).replaceAll('\\', '/');
        const text = edited(code, file);
        return text === undefined ? null : { code: text, map: null };
      },
    },
  };
}

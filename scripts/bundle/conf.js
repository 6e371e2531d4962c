/** Replaces modules by these sources. */
const replacements = {
  // Signal handlers, which raise each signal again after deleting temporary files. natter handles signals itself, and
  // SIGXFSZ (a full quota) must not end it: the write fails instead.
  'when-exit': 'export default () => () => {};',
  // Versions, for migrations; natter has none.
  semver: 'export default {};',
  // The validator: natter gives conf no schema, and loads ajv only for the option --schema.
  ajv: 'export const Ajv2020 = undefined; export default {};',
};

function replacementOf(source, importer) {
  const isConf = /[\\/]node_modules[\\/]conf[\\/]/.test(importer ?? '');
  if (source.startsWith('ajv')) return isConf ? 'ajv' : undefined;
  return Object.hasOwn(replacements, source) ? source : undefined;
}

/** Removes of conf what natter does not use. */
export function confBundling() {
  return {
    name: 'conf-bundling',
    resolveId(source, importer) {
      const name = replacementOf(source, importer);
      return name === undefined ? null : `\0conf-${name}`;
    },
    load: (id) => (id.startsWith('\0conf-') ? replacements[id.slice('\0conf-'.length)] : null),
  };
}

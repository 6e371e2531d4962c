const name = '\0when-exit';
const noValidator = '\0no-validator';

/**
 * Removes the signal handlers of conf, which raise each signal again after deleting temporary files. natter handles
 * signals itself, and SIGXFSZ (a full quota) must not end it: the write fails instead. Also removes its validator:
 * natter gives conf no schema, and loads ajv only for the option --schema.
 */
export function confBundling() {
  return {
    name: 'conf-bundling',
    resolveId(source, importer) {
      if (source === 'when-exit') return name;
      const isConf = /[\\/]node_modules[\\/]conf[\\/]/.test(importer ?? '');
      return isConf && source.startsWith('ajv') ? noValidator : null;
    },
    load(id) {
      if (id === noValidator) return 'export const Ajv2020 = undefined; export default {};';
      return id === name ? 'export default () => () => {};' : null;
    },
  };
}

/** Modules whose file the program and the library share, with the names that the library imports from it. */
const shared = [{ module: 'entity-names', file: '../entities.cjs', names: 'decodeHTMLStrict' }];

/** Lets the library use files of the program. Node does not find the names in minified CommonJS, so they are taken of its default. */
export function fileSharing() {
  return {
    name: 'file-sharing',
    resolveId: (source) =>
      shared.some(({ file }) => file === source) ? { id: source, external: true } : null,
    load(id) {
      const found = shared.find(({ module }) => id.endsWith(`${module}.ts`));
      if (found === undefined) return null;
      return `import file from '${found.file}'; export const { ${found.names} } = file;`;
    },
  };
}

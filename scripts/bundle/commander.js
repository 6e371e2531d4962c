const name = '\0child-process-of-commander';

/** Commander starts other programs for commands that natter does not have; node:child_process loads for nothing. */
export function commanderBundling() {
  return {
    name: 'commander-bundling',
    resolveId(source, importer) {
      const isWanted =
        source === 'node:child_process' && /[\\/]commander[\\/]/.test(importer ?? '');
      return isWanted ? name : null;
    },
    load: (id) => (id === name ? 'module.exports = {};' : null),
  };
}

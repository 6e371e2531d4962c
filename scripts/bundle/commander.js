const name = '\0child-process-of-commander';

/** Removes node:child_process, which commander loads for executable subcommands; natter has none. */
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

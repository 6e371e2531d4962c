const name = '\0when-exit';

/**
 * conf's writer of files listens for every signal and raises it again, only to delete its temporary files. natter
 * handles signals itself, and a signal that a full quota sends (SIGXFSZ) must not end it: the write fails instead.
 */
export function confBundling() {
  return {
    name: 'conf-bundling',
    resolveId: (source) => (source === 'when-exit' ? name : null),
    load: (id) => (id === name ? 'export default () => () => {};' : null),
  };
}

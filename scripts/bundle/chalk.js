const name = '\0supports-color';

/** natter decides the colours of each stream itself; chalk's own rule reads the environment and the terminals. */
export function chalkBundling() {
  return {
    name: 'chalk-bundling',
    resolveId: (source) => (source === '#supports-color' ? name : null),
    load: (id) => (id === name ? 'export default { stdout: false, stderr: false };' : null),
  };
}

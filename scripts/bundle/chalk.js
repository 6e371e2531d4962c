const name = '\0supports-color';

/** Removes chalk's rule for colours, which reads the environment and the terminals: natter has its own for each stream. */
export function chalkBundling() {
  return {
    name: 'chalk-bundling',
    resolveId: (source) => (source === '#supports-color' ? name : null),
    load: (id) => (id === name ? 'export default { stdout: false, stderr: false };' : null),
  };
}

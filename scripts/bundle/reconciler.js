/** What Ink declares to its reconciler, as far as code depends on it. */
const constants = {
  isHydrating: false,
  supportsHydration: false,
  supportsMicrotasks: true,
  supportsMutation: true,
  supportsPersistence: false,
  supportsResources: false,
  supportsSingletons: false,
  supportsTestSelectors: false,
};
const used = new Set([
  'createContainer',
  'flushSyncWork',
  'injectIntoDevTools',
  'updateContainer',
  'updateContainerSync',
]);

/** Removes of React's reconciler what Ink does not use: hydration, persistent trees, hoisted elements, test selectors. */
export function reconcilerOfInk(code) {
  if (!code.includes('supportsHydration = $$$config.supportsHydration')) {
    throw new Error('not the reconciler of React');
  }
  const names = Object.keys(constants).join('|');
  return code
    .replaceAll(new RegExp(`(?<![.$\\w])(?:${names})\\b(?! = )`, 'g'), (name) => constants[name])
    .replaceAll(/\$\$\$config\.\w*Hydra\w*/gi, 'undefined')
    .replaceAll(
      /^ {2}exports\.(\w+) = .*?(?=^ {2}(?:exports\.|return exports;))/gms,
      (text, name) => (used.has(name) ? text : ''),
    );
}

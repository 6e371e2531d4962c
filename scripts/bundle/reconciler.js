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

/** Hooks that neither natter nor Ink calls; a test checks it. */
export const missingHooks = [
  'useActionState',
  'useCacheRefresh',
  'useDeferredValue',
  'useEffectEvent',
  'useFormState',
  'useHostTransitionStatus',
  'useId',
  'useImperativeHandle',
  'useMemoCache',
  'useOptimistic',
  'useSyncExternalStore',
  'useTransition',
];

/** The implementations of hooks in one object: up to the next member, or the end of the object. */
const hooks = new RegExp(`^( +)(?:${missingHooks.join('|')}): .*?(?=^\\1\\w|^(?!\\1) *\\})`, 'gms');

/** Removes of React's reconciler what Ink does not use: hydration, persistent trees, hoisted elements, test selectors, hooks. */
export function reconcilerOfInk(code) {
  if (!code.includes('supportsHydration = $$$config.supportsHydration')) {
    throw new Error('not the reconciler of React');
  }
  const names = Object.keys(constants).join('|');
  return code
    .replaceAll(new RegExp(`(?<![.$\\w])(?:${names})\\b(?! = )`, 'g'), (name) => constants[name])
    .replaceAll(hooks, '')
    .replaceAll(/^ +\w+\.useEffectEvent = \w+;$/gm, '')
    .replaceAll(/\$\$\$config\.\w*Hydra\w*/gi, 'undefined')
    .replaceAll(
      /^ {2}exports\.(\w+) = .*?(?=^ {2}(?:exports\.|return exports;))/gms,
      (text, name) => (used.has(name) ? text : ''),
    );
}

// Replaces yoga-layout in the bundle. The original loads its WebAssembly with a top-level await, which CommonJS cannot
// contain; here `loadLayout` loads it, and the default export is a live binding.
import { loadYoga } from 'yoga-layout/load';

export * from 'yoga-layout/load';

let yoga;
export { yoga as default };

async function load() {
  yoga = await loadYoga();
}

let loading;

/** Must resolve before Ink draws for the first time. */
export function loadLayout() {
  loading ??= load();
  return loading;
}

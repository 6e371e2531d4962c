// Stands in for yoga-layout in the bundle. The original loads its WebAssembly with a top-level await, which
// CommonJS chunks cannot hold; here `loadLayout` does, and the default export is a live binding.
import { loadYoga } from 'yoga-layout/load';

export * from 'yoga-layout/load';

let yoga;
export { yoga as default };

/** Must have resolved before Ink draws for the first time. */
export async function loadLayout() {
  yoga ??= await loadYoga();
}

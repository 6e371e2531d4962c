import type { LiveRegion } from '../../terminal/live/live-region.ts';
import type { ViewModel } from './view-model.ts';
import { createDrawer, type Look } from './draw-frame.tsx';

/** The live region's content. */
export interface View {
  /** Schedules a redraw; `model` is called at most 30 times a second. */
  update(model: () => ViewModel): void;
}

export interface ViewOptions {
  readonly region: LiveRegion;
  /** Called whenever the region is drawn. */
  readonly look: () => Look;
}

/** Loads Ink's layout engine. Await it before the first drawing. */
export async function loadLayout(): Promise<void> {
  const layout: Readonly<Record<string, unknown>> = await import('yoga-layout');
  // Only the bundle's replacement has to be loaded explicitly.
  const { loadLayout: load } = layout;
  if (typeof load === 'function') await load();
}

export function mountView({ region, look }: ViewOptions): View {
  const draw = createDrawer();
  return {
    update: (model) => region.render((place) => draw(model(), look(), place)),
  };
}

import type { LiveRegion } from '../../terminal/live/live-region.ts';
import type { ViewModel } from './view-model.ts';
import { createDrawer, type Look } from './draw-frame.tsx';

/** The live region's content. */
export interface View {
  /** Shows what `model` gives, soon: asked at most 30 times a second, and not at all while nothing changes. */
  update(model: () => ViewModel): void;
}

export interface ViewOptions {
  readonly region: LiveRegion;
  /** Asked whenever the region is drawn. */
  readonly look: () => Look;
}

/** Loads what Ink lays out with; it must have, before the first drawing. */
export async function loadLayout(): Promise<void> {
  const layout: Readonly<Record<string, unknown>> = await import('yoga-layout');
  // Only the bundle's stand-in has to be told to load.
  const { loadLayout: load } = layout;
  if (typeof load === 'function') await load();
}

/** Draws models into a live region. */
export function mountView({ region, look }: ViewOptions): View {
  const draw = createDrawer();
  return {
    update: (model) => region.render((place) => draw(model(), look(), place)),
  };
}

import { listPaths, type PathList } from '../../attachments/list-paths.ts';
import type { Clock } from '../../clock.ts';

/** Milliseconds after which the folder is listed again. */
const maxAge = 10_000;

/** The paths of the current folder. An old list is returned at once, and a new one made for the next call. */
export function createPathIndex(clock: Clock): () => Promise<PathList> {
  let list: Promise<PathList> | undefined;
  let listedAt = 0;
  return () => {
    const now = clock.monotonic();
    if (list !== undefined && now - listedAt < maxAge) return list;
    listedAt = now;
    const next = listPaths('.', { clock });
    const known = list ?? next;
    list = known;
    void next.then(
      () => (list = next),
      () => undefined,
    );
    return known;
  };
}

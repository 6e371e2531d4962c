import type { Session } from '../../repl/session/session.ts';

/** Resolves when the user quits, or the run is aborted. */
export async function untilLeft(signal: AbortSignal, session: Session): Promise<void> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => (abort = resolve));
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (!signal.aborted) await Promise.race([session.ended, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

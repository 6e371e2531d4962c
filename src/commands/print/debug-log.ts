import type { OutputStream } from '../../terminal/device/streams.ts';

/** Writes one debug line if debugging is enabled. */
export type DebugLog = (text: string) => void;

export interface DebugLogOptions {
  readonly stderr: OutputStream;
  /** `NATTER_DEBUG` is set. */
  readonly enabled: boolean;
  /** Makes text from servers safe to show, and masks secrets. */
  readonly clean: (text: string) => string;
}

/** Lines `natter: debug: …` on standard error. */
export function createDebugLog({ stderr, enabled, clean }: DebugLogOptions): DebugLog {
  if (!enabled) return () => undefined;
  return (text) => void stderr.write(`natter: debug: ${clean(text)}\n`);
}

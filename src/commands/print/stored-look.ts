import { Failure } from '../../failure.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { lookOf, type StoredLook } from './answer-output.ts';
import type { Presentation } from './presentation.ts';

/** The theme and the colours of the user for stored answers. Settings that cannot be read do not hide an answer. */
export async function storedLook(
  context: Context,
  { style, notices }: Presentation,
  options: GlobalOptions,
): Promise<StoredLook> {
  if (!context.streams.stdout.isTerminal || !style.colored) return {};
  const { readSettings } = await import('../service/settings-access.ts');
  try {
    const { theme, ownColors } = lookOf(readSettings(context, notices, options));
    return { theme, ownColors };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(`${error.message}; the answer has the default theme`);
    return {};
  }
}

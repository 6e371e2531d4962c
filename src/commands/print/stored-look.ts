import { Failure } from '../../failure.ts';
import type { Context, GlobalOptions, Presentation } from '../../run.ts';
import { lookOf, type Look } from './answer-output.ts';
import { readSettings } from '../../settings/read-settings.ts';

/** The wrapping, the theme and the colours of the user for stored answers. Settings that cannot be read do not hide an answer. */
export async function storedLook(
  context: Context,
  { notices }: Presentation,
  options: GlobalOptions,
): Promise<Look> {
  if (!context.streams.stdout.isTerminal) return {};
  try {
    return lookOf(readSettings(context, notices, options));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(`${error.message}; the answer has the default theme`);
    return {};
  }
}

import { Failure } from '../../failure.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { lookOf, type Look } from './answer-output.ts';
import type { Presentation } from './presentation.ts';
import { readSettings } from '../service/settings-access.ts';

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

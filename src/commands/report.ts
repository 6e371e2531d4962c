import { exitCodes } from '../failure.ts';
import { reportFailure, toFailure } from '../output/failure-report.ts';
import { createSecretFilter } from '../settings/secret-filter.ts';
import { sanitizeLine } from '../terminal/sanitizer.ts';
import { wantsJson } from './command-line.ts';
import type { Context } from './context.ts';

/** What standard error shows of anything thrown: sanitized, secrets masked, as JSON where `--json` was asked for. */
export function describeFailure(
  error: unknown,
  context: Pick<Context, 'environment'>,
  secrets: readonly string[],
  words: readonly string[],
): { readonly text: string; readonly exitCode: number } {
  const failure = toFailure(error);
  const mask = createSecretFilter([...secrets, context.environment['NATTER_API_KEY']]);
  const text = reportFailure(failure, {
    json: wantsJson(words),
    debug: (context.environment['NATTER_DEBUG'] ?? '') !== '',
    clean: (part) => mask(sanitizeLine(part)),
  });
  return { text, exitCode: exitCodes[failure.kind] };
}

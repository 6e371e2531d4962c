import { isSet } from '../environment.ts';
import { exitCodes } from '../failure.ts';
import { reportFailure, toFailure } from '../output/failure-report.ts';
import { sanitizeLine } from '../terminal/sanitizer.ts';
import { wantsJson } from './command-line.ts';
import type { Context } from './context.ts';

/** What standard error shows of anything thrown: sanitized, secrets masked, as JSON where `--json` was asked for. */
export function describeFailure(
  error: unknown,
  { environment, secrets }: Pick<Context, 'environment' | 'secrets'>,
  words: readonly string[],
): { readonly text: string; readonly exitCode: number } {
  const failure = toFailure(error);
  const text = reportFailure(failure, {
    json: wantsJson(words),
    debug: isSet(environment, 'NATTER_DEBUG'),
    clean: (part) => secrets.mask(sanitizeLine(part)),
  });
  return { text, exitCode: exitCodes[failure.kind] };
}

import { isSet } from '../../environment.ts';
import { exitCodes } from '../../failure.ts';
import { reportFailure, toFailure } from '../../output/failure-report.ts';
import { cleanLine } from '../print/clean-line.ts';
import { withHint } from './remedy-words.ts';
import { wantsJson } from './command-line.ts';
import type { Context } from './context.ts';

/** What standard error shows of anything thrown: sanitized, secrets masked, as JSON where `--json` was asked for. */
export function describeFailure(
  error: unknown,
  context: Pick<Context, 'environment' | 'secrets'>,
  words: readonly string[],
): { readonly text: string; readonly exitCode: number } {
  const failure = withHint(toFailure(error));
  const text = reportFailure(failure, {
    json: wantsJson(words),
    debug: isSet(context.environment, 'NATTER_DEBUG'),
    clean: (part) => cleanLine(context, part),
  });
  return { text, exitCode: exitCodes[failure.kind] };
}

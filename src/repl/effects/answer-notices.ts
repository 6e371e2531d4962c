import type { Failure } from '../../failure.ts';
import { hiddenCharacters, refusalNotice } from '../../output/notices.ts';
import type { SessionCore } from '../session/session-core.ts';
import { notice } from '../state/entry.ts';

function finishNotice(reason: string | undefined): string | undefined {
  if (reason === undefined || reason === 'stop') return undefined;
  return reason === 'length'
    ? 'the answer reached the token limit; /continue resumes it'
    : `the answer ended with ${reason}`;
}

interface EndedAnswer {
  readonly core: SessionCore;
  readonly finishReason: string | undefined;
  readonly refusal: string;
  readonly lateReasoning: string;
  readonly truncation: string | undefined;
}

/** The notices after a complete answer. `removed`: the number of its characters that were not shown. */
export function printNotices(
  { core, finishReason, refusal, lateReasoning, truncation }: EndedAnswer,
  noAnswer: Failure | undefined,
  removed: number,
): void {
  const texts = [
    lateReasoning === '' ? undefined : `reasoning after the first text: ${lateReasoning}`,
    refusal === '' ? (noAnswer?.message ?? finishNotice(finishReason)) : refusalNotice(refusal),
    truncation,
    removed === 0 ? undefined : `${hiddenCharacters(removed)} of the answer not shown`,
  ].filter((text) => text !== undefined);
  core.print(texts.map((text) => notice(core.ports.clean(text))));
}

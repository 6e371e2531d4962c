import { textOf, type Conversation, type Turn } from '../../conversation/tree.ts';
import { answerTokens, seconds, tokenText } from '../../output/figures.ts';
import { versionTexts, type PromptAndAnswer } from '../conversations/position.ts';
import type { Closing } from '../entry.ts';
import { durationText } from './status-text.ts';

/** `0.1 s` (at least), `2.4 s`, `31 s`, `2 min 5 s`. */
function timeText(milliseconds: number): string {
  const whole = Math.round(milliseconds / 1000);
  return whole < 60 ? seconds(Math.max(100, milliseconds)) : durationText(whole);
}

function factsOf(answer: Turn, measured: number | undefined): readonly string[] {
  const { model, usage, timing } = answer;
  const total = timing?.total ?? measured;
  const { tokens, isEstimate } = answerTokens({ usage, content: textOf(answer) });
  return [
    ...(model === undefined ? [] : [model]),
    ...(total === undefined ? [] : [timeText(total)]),
    tokenText(tokens, isEstimate),
  ];
}

interface ClosingOptions {
  /** Milliseconds, for an answer that was cut. */
  readonly measured?: number;
  /** Without model, time and tokens. */
  readonly hasNoFacts?: boolean;
}

/** The row below an answer, in a list; empty if there is nothing to show. */
export function closingOf(
  conversation: Conversation,
  pair: PromptAndAnswer,
  { measured, hasNoFacts = false }: ClosingOptions = {},
): readonly Closing[] {
  const { answer } = pair;
  const hasFacts = !hasNoFacts && answer !== undefined && textOf(answer) !== '';
  const facts = hasFacts ? factsOf(answer, measured) : [];
  const versions = versionTexts(conversation, pair);
  if (facts.length === 0 && versions.version === undefined) return [];
  return [{ type: 'closing', facts, ...versions }];
}

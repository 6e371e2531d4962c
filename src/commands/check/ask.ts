import type { Message, Usage } from '../../client/contract.ts';
import { Failure } from '../../failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import type { ReceivedAnswer } from '../../output/receive-answer.ts';
import { correctionPrompt } from '../../schema/instruction.ts';
import { describeViolations, type Violation } from '../../schema/violation.ts';
import type { AnswerCheck, CheckedText } from './open-check.ts';

export interface UncheckedAnswer extends ReceivedAnswer {
  /** The text as the service sent it, if that differs: with placeholders for secrets. */
  readonly received?: string;
}

export interface CheckedAnswer<Answer extends UncheckedAnswer = UncheckedAnswer> {
  readonly answer: Answer;
  /** Undefined for an answer that is missing or was cut. */
  readonly checked: CheckedText | undefined;
}

/** The answers to one prompt, in order; at least one. All but the last have violations. */
export type CheckedAnswers<Answer extends UncheckedAnswer = UncheckedAnswer> = readonly [
  ...CheckedAnswer<Answer>[],
  CheckedAnswer<Answer>,
];

/** What is sent after an answer with violations. */
export interface Correction {
  /** The answer was empty: the same messages are sent again. */
  readonly isRepeat: boolean;
  readonly prompt: string;
}

export interface AskOptions<Answer> {
  readonly check: AnswerCheck;
  readonly messages: readonly Message[];
  /** Receives one answer completely. @param correction undefined for the first */
  readonly send: (
    messages: readonly Message[],
    correction: Correction | undefined,
  ) => Promise<Answer>;
  /** Before the model is asked again. @returns whether it may be */
  readonly onMismatch: (violations: readonly Violation[], retry: number) => boolean;
}

/** The service stopped at the limit of tokens. */
const isCut = ({ metadata }: UncheckedAnswer) => metadata.finishReason === 'length';

/** Sends the messages, and again with the violations, until an answer conforms. */
export async function askUntilConforming<Answer extends UncheckedAnswer>({
  check,
  messages,
  send,
  onMismatch,
}: AskOptions<Answer>): Promise<CheckedAnswers<Answer>> {
  const earlier: CheckedAnswer<Answer>[] = [];
  let next = messages;
  let correction: Correction | undefined;
  for (let retry = 1; ; retry += 1) {
    const answer = await send(next, correction);
    const isComplete = answer.failure === undefined && !isCut(answer);
    const checked = isComplete ? check.check(answer.content) : undefined;
    const { violations = [], isCorrectable = false } = checked ?? {};
    const isAsked = isCorrectable && retry <= check.retries && onMismatch(violations, retry);
    if (!isAsked) return [...earlier, { answer, checked }];
    earlier.push({ answer, checked });
    const { content, received = content } = answer;
    const isRepeat = content.trim() === '';
    // The names in violations may be secrets, too.
    const shown = received === content ? violations : check.check(received).violations;
    correction = { isRepeat, prompt: correctionPrompt(shown) };
    // Some services reject an empty message.
    if (isRepeat) continue;
    const last: Message = { role: 'assistant', content: received };
    next = [...next, last, { role: 'user', content: correction.prompt }];
  }
}

function mismatchFailure(
  { pointer, hasSchema }: AnswerCheck,
  { violations, isCorrectable }: CheckedText,
): Failure {
  if (!isCorrectable) {
    return new Failure('mismatch', `the answer has no value at ${pointer ?? ''}`, {
      hint: '--json shows the whole answer',
    });
  }
  const text = describeViolations(violations);
  if (!hasSchema) {
    return new Failure('mismatch', text, { hint: '--schema asks the model for JSON' });
  }
  return new Failure('mismatch', `the answer does not match the schema: ${text}`, {
    hint: '--json shows all violations; --schema-retries asks again more often',
  });
}

/** Why there is no value; undefined if there is one. */
export function failureOf(check: AnswerCheck, answers: CheckedAnswers): Failure | undefined {
  const { answer, checked } = lastOf(answers);
  if (answer.failure !== undefined) return answer.failure;
  if (checked === undefined) {
    return new Failure(
      'incomplete',
      'the answer is incomplete: it reached the token limit (finish_reason length)',
      { remedy: { code: 'raise-max-tokens' } },
    );
  }
  return checked.violations.length === 0 ? undefined : mismatchFailure(check, checked);
}

export function lastOf<Answer extends UncheckedAnswer>(
  answers: CheckedAnswers<Answer>,
): CheckedAnswer<Answer> {
  const [last] = answers.slice(-1);
  // A tuple with a last element cannot be empty.
  return last as CheckedAnswer<Answer>;
}

function sum(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, value) => total + value, 0);
}

function usageOf(parts: readonly AnswerMetadata[]): Usage | undefined {
  if (parts.every(({ usage }) => usage === undefined)) return undefined;
  const names = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;
  const totals = names.map((name) => [name, sum(parts.map(({ usage }) => usage?.[name]))] as const);
  return Object.fromEntries(totals.filter(([, total]) => total !== undefined));
}

/** The first prompt that was probably cut. */
function truncationOf(parts: readonly AnswerMetadata[]): Partial<AnswerMetadata> {
  const cut = parts.find(({ estimatedPromptTokens: estimate }) => estimate !== undefined);
  if (cut?.estimatedPromptTokens === undefined) return {};
  const { estimatedPromptTokens, usage } = cut;
  return { estimatedPromptTokens, countedPromptTokens: usage?.prompt_tokens ?? 0 };
}

/** What is known about all answers to a prompt: those of the last, with the tokens, requests and times of all. */
export function metadataOf(answers: CheckedAnswers): AnswerMetadata {
  const parts = answers.map(({ answer }) => answer.metadata);
  const { metadata } = lastOf(answers).answer;
  if (parts.length === 1) return metadata;
  const usage = usageOf(parts);
  const firstText = parts[0]?.timing?.firstText;
  const total = sum(parts.map(({ timing }) => timing?.total)) ?? 0;
  return {
    ...metadata,
    ...truncationOf(parts),
    ...(usage !== undefined && { usage }),
    attempts: sum(parts.map(({ attempts }) => attempts)) ?? parts.length,
    timing: { ...(firstText !== undefined && { firstText }), total },
  };
}

import type { ChatEvent } from '../../../client/events.ts';
import { failureFields, toFailure } from '../../../output/ending-failure.ts';
import { answerFields, jsonLine } from '../../../output/json-answer.ts';
import { finishNotice } from '../../../output/notices.ts';
import { receiveAnswer, type ReceivedAnswer } from '../../../output/receive-answer.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import { createTextOutput, lookOf } from '../../print/answer-output.ts';
import { cleanLine } from '../../program/mask-secrets.ts';
import { promptMessages } from '../../prompt/chat-request.ts';
import type { SecretGuard } from '../../prompt/guard/secret-guard.ts';
import type { Service } from '../../service/service.ts';
import type { AskedPrompt, PromptSender } from '../prompt-sender.ts';
import type { Preparation } from '../run.ts';
import { combinePrompt, type Piece, type PlannedPieces, type Room } from './plan-pieces.ts';
import type { PieceAnswer } from './send-pieces.ts';

export interface SplitRun extends Preparation {
  readonly settings: ResolvedSettings;
  readonly guard: SecretGuard | undefined;
  readonly prompt: string;
  readonly room: Room;
  readonly pieces: readonly Piece[];
  /** The pieces for a different number of tokens. */
  readonly planFor: (budget: number) => PlannedPieces;
}

async function receive(
  { context, guard }: SplitRun,
  { clock }: Service,
  { events, describe }: AskedPrompt,
  show: ((event: ChatEvent) => Promise<void> | undefined) | undefined,
): Promise<ReceivedAnswer> {
  const received = await receiveAnswer(guard?.restore(events) ?? events, {
    clock,
    show,
    failureOf(error) {
      context.signal.throwIfAborted();
      return toFailure(error);
    },
  });
  return { ...received, metadata: describe(received.metadata) };
}

/** Asks for the answer to the whole prompt, and prints it. @throws Failure */
export async function printFinalAnswer(
  run: SplitRun,
  service: Service,
  sender: PromptSender,
  last: Piece,
  answers: readonly PieceAnswer[],
): Promise<void> {
  const { context, format, presentation, settings, prompt } = run;
  const messages = promptMessages(settings.values.system, combinePrompt(prompt, last));
  const asked = sender.ask(messages);
  const isJson = format === 'json';
  const output = isJson ? undefined : await createTextOutput({ ...run, ...lookOf(settings) });
  const show = output && ((event: ChatEvent) => output.printer.event(event));
  const { content, metadata, failure } = await receive(run, service, asked, show);
  await output?.printer.end();
  if (isJson) {
    const clean = (text: string) => cleanLine(context, text);
    const error = failure === undefined ? {} : failureFields(failure, clean);
    const pieces = answers.map(({ number, content: text, usage }) => {
      const names = run.pieces[number - 1]?.texts.map(({ name }) => name);
      return { piece: number, names, content: text, usage };
    });
    const fields = answerFields(metadata, content, settings.values.model);
    await context.streams.stdout.write(jsonLine({ ...fields, pieces, ...error }));
  }
  if (failure !== undefined) throw failure;
  const notice = finishNotice(metadata);
  if (notice !== undefined) presentation.notices.notice(notice);
}

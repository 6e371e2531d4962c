import { composePrompt } from '../../conversation/compose-prompt.ts';
import {
  createAnswerRecorder,
  type AnswerRecorder,
} from '../../conversation/journal/record-answer.ts';
import type { ChatEvent } from '../../client/events.ts';
import { Failure } from '../../failure.ts';
import type { AnswerOutcome } from '../state/action.ts';
import type { Choices, Effect, Question } from '../state/effect.ts';
import { notice, type Entry } from '../state/entry.ts';
import { endingWith, messagesFor } from '../state/position.ts';
import { attachedEntry } from '../text/sent-prompt.ts';
import { failureText, type SessionCore, dispatchConversation } from '../session/session-core.ts';
import { hiddenCharacters, refusalNotice } from '../../output/answer-notices.ts';
import { mentionProblem, readMentioned } from './mentioned-files.ts';
import { pathOf } from '../../conversation/tree.ts';

interface Asking {
  readonly core: SessionCore;
  readonly choices: Choices;
  /** Only for `/compare`: see `Effect`. */
  readonly nextModel: string | undefined;
  readonly signal: AbortSignal;
}

/** An answer, from its prompt to its end. */
interface Answer {
  readonly model: string;
  /** Undefined until the prompt is recorded. */
  recorder: AnswerRecorder | undefined;
  /** Whether the transcript has an open answer. */
  isOpen: boolean;
  refusal: string;
  /** Reasoning received after the first text. */
  lateReasoning: string;
  finishReason: string | undefined;
}

function sayIn({ core }: Asking, ...entries: readonly Entry[]): void {
  core.print(entries);
}

/** Records the current system prompt, unless it already applies at this place. @returns the prompt's parent */
function systemParent({ core, choices }: Asking, parent: string | undefined): string | undefined {
  const journal = core.journal();
  const path = pathOf(endingWith(journal.conversation(), parent));
  const last = path.findLast(({ role }) => role === 'system')?.content ?? '';
  const content = choices.system ?? '';
  return last === content ? parent : journal.addTurn({ role: 'system', content, parent }).id;
}

/** With a changed system prompt, the repeated prompt is recorded as a new version. */
function recordAgain(asking: Asking, turnId: string): string {
  const journal = asking.core.journal();
  const prompt = journal.conversation().turns.get(turnId);
  if (prompt === undefined) return turnId;
  const parent = systemParent(asking, prompt.parent);
  if (parent === prompt.parent) return turnId;
  return journal.addTurn({ role: 'user', content: prompt.content, parent }).id;
}

/** Records the prompt before anything is sent. @returns the id of its turn */
async function recordQuestion(asking: Asking, question: Question): Promise<string> {
  const { core } = asking;
  if (question.type === 'again') return recordAgain(asking, question.turnId);
  sayIn(asking, { type: 'prompt', text: question.shown, isEarlier: question.isEarlier });
  const mentioned = await readMentioned(core.ports.files, question, asking.signal);
  const files = [...question.files, ...mentioned];
  const content = composePrompt({ prompt: question.content, files });
  sayIn(asking, ...files.map(attachedEntry));
  const parent = systemParent(asking, question.parent);
  const turn = core.journal().addTurn({ role: 'user', content, parent });
  dispatchConversation(core);
  return turn.id;
}

/** Not for a mere refusal, which becomes a notice at the end. */
async function openAnswer({ core }: Asking, answer: Answer): Promise<void> {
  if (answer.isOpen) return;
  answer.isOpen = true;
  await core.transcript.openAnswer(answer.model);
}

/** Shown before the answer's text; later reasoning is kept for the end. */
async function showReasoning({ core }: Asking, answer: Answer, text: string): Promise<void> {
  if (!core.state().showsReasoning) return;
  if (answer.isOpen) answer.lateReasoning += text;
  else await core.transcript.reasoningText(text);
}

async function onEvent(asking: Asking, answer: Answer, event: ChatEvent): Promise<void> {
  const { core } = asking;
  core.dispatch({ type: 'chat-event', event, now: core.ports.clock.monotonic() });
  answer.recorder?.event(event);
  if (event.type === 'text-received') {
    await openAnswer(asking, answer);
    await core.transcript.answerText(event.text);
    core.dispatch({ type: 'undecided-changed', text: core.transcript.undecided() });
  } else if (event.type === 'refusal-received') {
    answer.refusal += event.text;
  } else if (event.type === 'reasoning-received') {
    await showReasoning(asking, answer, event.text);
  } else if (event.type === 'answer-finished') {
    answer.finishReason = event.finishReason;
  }
}

function endingRemark(reason: string | undefined): string | undefined {
  if (reason === undefined || reason === 'stop') return undefined;
  return reason === 'length'
    ? 'the answer reached the token limit; /continue resumes it'
    : `the answer ended with ${reason}`;
}

/** `noAnswer` is why the response is not an answer; undefined if it is one. */
function remarks(
  { finishReason, refusal, lateReasoning }: Answer,
  noAnswer: Failure | undefined,
  removed: number,
  clean: (text: string) => string,
): Entry[] {
  return [
    lateReasoning === '' ? undefined : `reasoning after the first text: ${lateReasoning}`,
    refusal === '' ? (noAnswer?.message ?? endingRemark(finishReason)) : refusalNotice(refusal),
    removed === 0 ? undefined : `${hiddenCharacters(removed)} of the answer not shown`,
  ]
    .filter((text) => text !== undefined)
    .map((text) => notice(clean(text)));
}

async function converse(asking: Asking, answer: Answer, promptId: string): Promise<void> {
  const { core, choices, nextModel, signal } = asking;
  const { service } = core.ports;
  const { model } = answer;
  const journal = core.journal();
  answer.recorder = createAnswerRecorder(journal, { model, nextModel, parent: promptId });
  const messages = messagesFor(endingWith(journal.conversation(), promptId));
  const { request, warning } = service.plan(messages, choices);
  if (warning !== undefined) sayIn(asking, notice(warning));
  for await (const event of service.client().chat(request, { signal })) {
    await onEvent(asking, answer, event);
  }
}

/** Ends an answer that was received in full; with `noAnswer`, a response that is not an answer is shown and recorded. */
async function finish(asking: Asking, answer: Answer, noAnswer?: Failure): Promise<AnswerOutcome> {
  const { core } = asking;
  answer.recorder?.end(noAnswer?.kind);
  if (answer.refusal === '') await openAnswer(asking, answer);
  const removed = await core.transcript.closeAnswer();
  sayIn(asking, ...remarks(answer, noAnswer, removed, core.ports.clean));
  return { type: 'finished' };
}

async function cut(asking: Asking, answer: Answer, error: unknown): Promise<AnswerOutcome> {
  const { core, signal } = asking;
  const hasText = answer.isOpen || answer.refusal !== '';
  const failure = failureText(error, core.ports.clean);
  const isRecorded = answer.recorder !== undefined;
  try {
    answer.recorder?.end(signal.aborted ? undefined : failure.kind);
  } finally {
    await core.transcript.closeAnswer();
  }
  if (answer.refusal !== '') sayIn(asking, notice(core.ports.clean(refusalNotice(answer.refusal))));
  if (signal.aborted) return { type: 'stopped', hasText };
  return { type: 'failed', hasText, failure, isRecorded };
}

function tellEnd(core: SessionCore, outcome: AnswerOutcome): void {
  const conversation = core.journal().conversation();
  core.dispatch({ type: 'answer-ended', outcome, conversation, now: core.ports.clock.monotonic() });
}

/** Sends a question and shows the answer. Always dispatches `answer-ended`. */
export async function runAsk(
  core: SessionCore,
  { question, choices, nextModel }: Effect & { readonly type: 'ask' },
): Promise<void> {
  const asking: Asking = { core, choices, nextModel, signal: core.begin() };
  const answer: Answer = {
    model: choices.model,
    recorder: undefined,
    isOpen: false,
    refusal: '',
    lateReasoning: '',
    finishReason: undefined,
  };
  let outcome: AnswerOutcome;
  try {
    const doubt = mentionProblem(core.ports.files, question);
    if (doubt !== undefined) {
      tellEnd(core, { type: 'unconfirmed', doubt });
      return;
    }
    await converse(asking, answer, await recordQuestion(asking, question));
    outcome = await finish(asking, answer);
  } catch (error) {
    const isNoAnswer = error instanceof Failure && error.kind === 'no_answer';
    outcome = isNoAnswer ? await finish(asking, answer, error) : await cut(asking, answer, error);
  }
  tellEnd(core, outcome);
}

import { answerEnd } from '../../conversation/answer-end.ts';
import { composePrompt } from '../../conversation/compose-prompt.ts';
import type { AnswerEnd } from '../../conversation/journal/journal.ts';
import type { ChatEvent } from '../../client/events.ts';
import { Failure } from '../../failure.ts';
import type { AnswerOutcome } from '../state/action.ts';
import type { Choices, Effect, Question } from '../state/effect.ts';
import { notice, type Entry } from '../state/entry.ts';
import { endingWith, messagesFor } from '../state/position.ts';
import { attachedEntry } from '../text/sent-prompt.ts';
import { failureText, type SessionCore, tellConversation } from '../session/session-core.ts';
import { hiddenCharacters, refusalNotice } from '../../output/answer-notices.ts';
import { doubtAbout, readMentioned } from './mentioned-files.ts';
import { pathOf } from '../../conversation/tree.ts';

interface Asking {
  readonly core: SessionCore;
  readonly choices: Choices;
  /** Only for `/compare`: see `Effect`. */
  readonly nextModel: string | undefined;
  readonly signal: AbortSignal;
}

/** An answer in progress. Its turn is recorded with the first text or refusal. */
interface Answer {
  /** The prompt's turn. */
  readonly promptId: string;
  readonly model: string;
  turnId: string | undefined;
  /** Whether the transcript has an open answer. */
  isOpen: boolean;
  refusal: string;
  /** Reasoning received after the first text. */
  lateReasoning: string;
  end: AnswerEnd;
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
  tellConversation(core);
  return turn.id;
}

function beginAnswer({ core, nextModel }: Asking, answer: Answer): string {
  if (answer.turnId === undefined) {
    const { promptId: parent, model } = answer;
    answer.turnId = core.journal().startAnswer({ model, nextModel, parent }).id;
  }
  return answer.turnId;
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
  if (event.type === 'text-received') {
    core.journal().appendText(beginAnswer(asking, answer), event.text);
    await openAnswer(asking, answer);
    await core.transcript.answerText(event.text);
    core.dispatch({ type: 'held-changed', text: core.transcript.held() });
  } else if (event.type === 'refusal-received') {
    core.journal().appendRefusal(beginAnswer(asking, answer), event.text);
    answer.refusal += event.text;
  } else if (event.type === 'reasoning-received') {
    await showReasoning(asking, answer, event.text);
  } else if (event.type === 'answer-named') {
    answer.end = { model: event.model };
  } else if (event.type === 'answer-finished') {
    answer.end = answerEnd(event);
  }
}

function endingRemark(reason: string | undefined): string | undefined {
  if (reason === undefined || reason === 'stop') return undefined;
  return reason === 'length'
    ? 'the answer was cut off at the token limit; /continue resumes it'
    : `the answer ended with ${reason}`;
}

/** `noAnswer` is why the response is not an answer; undefined if it is one. */
function remarks(
  { end, refusal, lateReasoning }: Answer,
  noAnswer: Failure | undefined,
  removed: number,
  clean: (text: string) => string,
): Entry[] {
  return [
    lateReasoning === '' ? undefined : `reasoning after the first text: ${lateReasoning}`,
    refusal === '' ? (noAnswer?.message ?? endingRemark(end.finishReason)) : refusalNotice(refusal),
    removed === 0 ? undefined : `${hiddenCharacters(removed)} of the answer not shown`,
  ]
    .filter((text) => text !== undefined)
    .map((text) => notice(clean(text)));
}

/** Records an incomplete answer. Without any text, a new prompt is recorded as failed; a new version is not recorded. */
function recordCut(asking: Asking, answer: Answer, question: Question, end: AnswerEnd): void {
  const journal = asking.core.journal();
  if (answer.turnId === undefined && question.type === 'again') return;
  const { promptId: parent, model } = answer;
  const turnId = answer.turnId ?? journal.startAnswer({ model, parent }).id;
  journal.endAnswer(turnId, { ...end, incomplete: true });
}

async function converse(asking: Asking, answer: Answer): Promise<void> {
  const { core, choices, signal } = asking;
  const { service } = core.ports;
  const messages = messagesFor(endingWith(core.journal().conversation(), answer.promptId));
  const { request, warning } = service.plan(messages, choices);
  if (warning !== undefined) sayIn(asking, notice(warning));
  for await (const event of service.client().chat(request, { signal })) {
    signal.throwIfAborted();
    await onEvent(asking, answer, event);
  }
}

/** Ends an answer that was received in full; with `noAnswer`, a response that is not an answer is shown and recorded. */
async function finish(asking: Asking, answer: Answer, noAnswer?: Failure): Promise<AnswerOutcome> {
  const { core } = asking;
  const end = noAnswer === undefined ? answer.end : { ...answer.end, failure: noAnswer.kind };
  core.journal().endAnswer(beginAnswer(asking, answer), end);
  if (answer.refusal === '') await openAnswer(asking, answer);
  const removed = await core.transcript.closeAnswer();
  sayIn(asking, ...remarks(answer, noAnswer, removed, core.ports.clean));
  return { type: 'finished' };
}

async function cut(
  asking: Asking,
  answer: Answer,
  question: Question,
  error: unknown,
): Promise<AnswerOutcome> {
  const { core, signal } = asking;
  const hasText = answer.turnId !== undefined;
  const failure = failureText(error, core.ports.clean);
  const isRecorded = answer.promptId !== '';
  const end = { ...answer.end, ...(signal.aborted ? {} : { failure: failure.kind }) };
  try {
    if (isRecorded) recordCut(asking, answer, question, end);
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
  let answer: Answer = {
    promptId: '',
    model: choices.model,
    turnId: undefined,
    isOpen: false,
    refusal: '',
    lateReasoning: '',
    end: {},
  };
  let outcome: AnswerOutcome;
  try {
    const doubt = doubtAbout(core.ports.files, question);
    if (doubt !== undefined) {
      tellEnd(core, { type: 'questioned', doubt });
      return;
    }
    answer = { ...answer, promptId: await recordQuestion(asking, question) };
    await converse(asking, answer);
    outcome = await finish(asking, answer);
  } catch (error) {
    const isNoAnswer = error instanceof Failure && error.kind === 'no_answer';
    outcome = isNoAnswer
      ? await finish(asking, answer, error)
      : await cut(asking, answer, question, error);
  }
  tellEnd(core, outcome);
}

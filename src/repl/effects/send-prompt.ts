import { composePrompt } from '../../conversation/compose-prompt.ts';
import {
  createAnswerRecorder,
  type AnswerRecorder,
} from '../../conversation/journal/record-answer.ts';
import type { CompletionRequest } from '../../client/contract.ts';
import type { ChatEvent } from '../../client/events.ts';
import { Failure } from '../../failure.ts';
import type { AnswerOutcome } from '../state/action.ts';
import type { Effect, PromptToSend, SessionSettings } from '../state/effect.ts';
import { notice } from '../state/entry.ts';
import { contextUse, messagesFor } from '../state/position.ts';
import { failureText, type SessionCore, dispatchConversation } from '../session/session-core.ts';
import { refusalNotice } from '../../output/notices.ts';
import { truncationWarning } from '../../output/truncated-prompt.ts';
import type { SchemaCheck } from '../session/ports.ts';
import { printNotices } from './answer-notices.ts';
import { checkFiles, type CheckedFiles } from './checked-files.ts';
import { gatherTexts } from './gather-texts.ts';
import { renewKey } from './renew-key.ts';
import { endingWith, pathOf } from '../../conversation/tree.ts';

/** An answer, from its prompt to its end. */
interface Answer {
  readonly core: SessionCore;
  /** With those of a prompt file. */
  settings: SessionSettings;
  readonly nextModel: string | undefined;
  readonly signal: AbortSignal;
  /** Undefined until the prompt is recorded. */
  recorder: AnswerRecorder | undefined;
  isOpen: boolean;
  refusal: string;
  /** Reasoning received after the first text. */
  lateReasoning: string;
  finishReason: string | undefined;
  /** Why the prompt was probably cut. */
  truncation: string | undefined;
  /** The text as shown, and as received: with placeholders for secrets. */
  shown: string;
  received: string;
  /** Of a prompt file with a schema. */
  check: SchemaCheck | undefined;
}

const unanswered = {
  recorder: undefined,
  isOpen: false,
  refusal: '',
  lateReasoning: '',
  finishReason: undefined,
  truncation: undefined,
  shown: '',
  received: '',
};

/** Records the current system prompt, unless it already applies after `parent`. @returns the parent of the prompt */
function systemParent({ core, settings }: Answer, parent: string | undefined): string | undefined {
  const journal = core.journal();
  const path = pathOf(endingWith(journal.conversation(), parent));
  const last = path.findLast(({ role }) => role === 'system')?.content ?? '';
  const content = settings.system ?? '';
  return last === content ? parent : journal.addTurn({ role: 'system', content, parent }).id;
}

/** If the system prompt has changed, the repeated prompt is recorded as a new version. @returns the id of its turn */
function recordRepeated(answer: Answer, turnId: string): string {
  const journal = answer.core.journal();
  const prompt = journal.conversation().turns.get(turnId);
  if (prompt === undefined) return turnId;
  const parent = systemParent(answer, prompt.parent);
  if (parent === prompt.parent) return turnId;
  return journal.addTurn({ role: 'user', content: prompt.content, parent }).id;
}

/** Shows a new prompt with its files and records it. @returns the id of its turn */
async function recordNew(
  answer: Answer,
  prompt: PromptToSend & { readonly type: 'new' },
  { files, entries }: Pick<CheckedFiles, 'files' | 'entries'>,
): Promise<string> {
  const { core } = answer;
  core.print([{ type: 'prompt', text: prompt.shown, needsEcho: prompt.needsEcho }]);
  core.print(entries);
  const content = composePrompt({ prompt: prompt.content, files });
  const parent = systemParent(answer, prompt.parent);
  const turn = core.journal().addTurn({ role: 'user', content, parent });
  dispatchConversation(core);
  return turn.id;
}

/** Not for an answer that is only a refusal: that is shown as a notice at the end. */
async function showAnswer(answer: Answer): Promise<void> {
  if (answer.isOpen) return;
  answer.isOpen = true;
  await answer.core.transcript.openAnswer(answer.settings.model);
}

async function showReasoning(answer: Answer, text: string): Promise<void> {
  const { core } = answer;
  if (!core.state().showsReasoning) return;
  if (answer.isOpen) answer.lateReasoning += text;
  else await core.transcript.reasoningText(text);
}

async function onEvent(answer: Answer, event: ChatEvent): Promise<void> {
  const { core } = answer;
  core.dispatch({ type: 'chat-event', event, now: core.ports.clock.monotonic() });
  if (event.type === 'text-received') {
    await showAnswer(answer);
    answer.shown += event.text;
    await core.transcript.answerText(event.text);
    core.dispatch({ type: 'undecided-changed', text: core.transcript.undecided() });
  } else if (event.type === 'refusal-received') {
    answer.refusal += event.text;
  } else if (event.type === 'reasoning-received') {
    await showReasoning(answer, event.text);
  } else if (event.type === 'answer-finished') {
    answer.finishReason = event.finishReason;
    answer.truncation = truncationWarning(event);
  }
}

/** Records the events as the service sent them, with placeholders. */
async function* recorded(answer: Answer, request: CompletionRequest): AsyncGenerator<ChatEvent> {
  const { core, recorder, signal } = answer;
  const options = { signal, hurry: () => core.hurried() };
  for await (const event of core.ports.service.client().chat(request, options)) {
    recorder?.event(event);
    if (event.type === 'text-received') answer.received += event.text;
    yield event;
  }
}

async function receiveEvents(answer: Answer, request: CompletionRequest): Promise<void> {
  const { ports, screen } = answer.core;
  const events = ports.guard.restore(recorded(answer, request));
  for await (const event of gatherTexts(events, (skipsOne) => screen.nextUpdate(skipsOne))) {
    await onEvent(answer, event);
  }
}

async function receiveAnswer(answer: Answer, promptId: string): Promise<void> {
  const { core, settings, nextModel, signal } = answer;
  const { service } = core.ports;
  const journal = core.journal();
  const { model } = settings;
  answer.recorder = createAnswerRecorder(journal, { model, nextModel, parent: promptId });
  const conversation = endingWith(journal.conversation(), promptId);
  const { tokens } = contextUse(conversation, undefined);
  const { request, warning } = service.plan(messagesFor(conversation), settings, tokens);
  if (warning !== undefined) core.print([notice(warning)]);
  await renewKey(core, signal, () => receiveEvents(answer, request));
}

/** Ends an answer that was received in full. `noAnswer`: why the response does not count as an answer. */
async function endComplete(answer: Answer, noAnswer?: Failure): Promise<AnswerOutcome> {
  answer.recorder?.end(noAnswer?.kind);
  if (answer.refusal === '') await showAnswer(answer);
  printNotices(answer, noAnswer, await answer.core.transcript.closeAnswer());
  return { type: 'finished' };
}

async function endIncomplete(answer: Answer, error: unknown): Promise<AnswerOutcome> {
  const { core, signal, recorder, refusal } = answer;
  const { clean } = core.ports;
  const hasText = answer.isOpen || refusal !== '';
  const failure = failureText(error, clean);
  try {
    recorder?.end(signal.aborted ? undefined : failure.kind);
  } finally {
    await core.transcript.closeAnswer();
  }
  if (refusal !== '') core.print([notice(clean(refusalNotice(refusal)))]);
  if (signal.aborted) return { type: 'stopped', hasText };
  return { type: 'failed', hasText, failure, isRecorded: recorder !== undefined };
}

/** The prompt with the text of its prompt file, if it has one. */
async function filled(answer: Answer, prompt: PromptToSend) {
  if (prompt.type !== 'new' || prompt.use === undefined) return { type: 'filled', prompt } as const;
  const { fillPrompt } = await import('./use-prompt-file.ts');
  const { core, settings, signal } = answer;
  const { use } = prompt;
  const found = await fillPrompt(core, { ...prompt, use }, settings, signal);
  if (found.type === 'filled') {
    answer.settings = found.settings;
    answer.check = found.check;
  }
  return found;
}

/** Receives the answer, and asks again while it does not match the schema of its prompt file. */
async function answerPrompt(answer: Answer, promptId: string): Promise<AnswerOutcome> {
  for (let retry = 1, id = promptId; ; retry += 1) {
    await receiveAnswer(answer, id);
    const outcome = await endComplete(answer);
    const { core, check, shown, received, finishReason, refusal } = answer;
    const isComplete = finishReason !== 'length' && refusal === '';
    if (check === undefined || !isComplete) return outcome;
    const { askAgain } = await import('./ask-again.ts');
    const next = askAgain(core, check, { shown, received, promptId: id, retry });
    if (next === undefined) return outcome;
    id = next;
    Object.assign(answer, unanswered);
  }
}

async function send(answer: Answer, unfilled: PromptToSend): Promise<AnswerOutcome> {
  try {
    const whole = await filled(answer, unfilled);
    if (whole.type === 'unconfirmed') return whole;
    const { prompt } = whole;
    const checked = await checkFiles(answer.core, prompt, answer.signal);
    if (checked.type === 'unconfirmed') return checked;
    const promptId =
      prompt.type === 'repeat'
        ? recordRepeated(answer, prompt.turnId)
        : await recordNew(answer, prompt, checked);
    return await answerPrompt(answer, promptId);
  } catch (error) {
    const isNoAnswer = error instanceof Failure && error.kind === 'no_answer';
    return isNoAnswer ? endComplete(answer, error) : endIncomplete(answer, error);
  }
}

/** Sends a prompt and shows its answer. Always dispatches `answer-ended`. */
export async function runSend(
  core: SessionCore,
  { prompt, settings, nextModel }: Effect & { readonly type: 'send' },
): Promise<void> {
  const answer: Answer = {
    core,
    settings,
    nextModel,
    signal: core.begin(),
    check: undefined,
    ...unanswered,
  };
  const outcome = await send(answer, prompt);
  const conversation = core.journal().conversation();
  core.dispatch({ type: 'answer-ended', outcome, conversation, now: core.ports.clock.monotonic() });
}

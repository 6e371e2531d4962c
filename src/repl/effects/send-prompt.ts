import { type Answer, ask, type Sink } from '../../ask/ask.ts';
import { type AnswerCheck, askUntilConforming, lastOf } from '../../ask/check.ts';
import { composePrompt } from '../../conversation/compose-prompt.ts';
import {
  type AnswerRecorder,
  createAnswerRecorder,
} from '../../conversation/journal/record-answer.ts';
import { endingWith, pathOf } from '../../conversation/tree.ts';
import { hiddenCharacters, refusalNotice, truncationWarning } from '../../output/notices.ts';
import { describeViolations } from '../../schema/violation.ts';
import { dispatchConversation, failureText, type SessionCore } from '../session/session-core.ts';
import type { AnswerOutcome } from '../state/action.ts';
import type { Effect, PromptToSend, SessionSettings } from '../state/effect.ts';
import { failureEntry, notice } from '../state/entry.ts';
import { contextUse, messagesFor } from '../state/position.ts';
import { checkFiles, type CheckedFiles } from './mentioned-files.ts';
import { gatherTexts } from './gather-texts.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { cleanLine } from '../../commands/program/secrets.ts';
import { fillPrompt } from './use-prompt-file.ts';

/** A prompt on its way, with the settings and the check of its prompt file. */
interface Sending {
  readonly core: SessionCore;
  readonly settings: SessionSettings;
  readonly nextModel: string | undefined;
  readonly signal: AbortSignal;
  readonly check: AnswerCheck | undefined;
}

/** Records the current system prompt, unless it already applies after `parent`. @returns the parent of the prompt */
function systemParent({ core, settings }: Sending, parent: string | undefined): string | undefined {
  const journal = core.journal();
  const path = pathOf(endingWith(journal.conversation(), parent));
  const last = path.findLast(({ role }) => role === 'system')?.content ?? '';
  const content = settings.system ?? '';
  return last === content ? parent : journal.addTurn({ role: 'system', content, parent }).id;
}

/** If the system prompt has changed, the repeated prompt is recorded as a new version. @returns the id of its turn */
function recordRepeated(sending: Sending, turnId: string): string {
  const journal = sending.core.journal();
  const prompt = journal.conversation().turns.get(turnId);
  if (prompt === undefined) return turnId;
  const parent = systemParent(sending, prompt.parent);
  if (parent === prompt.parent) return turnId;
  return journal.addTurn({ role: 'user', content: prompt.content, parent }).id;
}

/** Shows a new prompt with its files and records it. @returns the id of its turn */
async function recordNew(
  sending: Sending,
  prompt: PromptToSend & { readonly type: 'new' },
  { files, entries }: CheckedFiles,
): Promise<string> {
  const { core } = sending;
  core.print([{ type: 'prompt', text: prompt.shown, needsEcho: prompt.needsEcho }]);
  core.print(entries);
  const content = composePrompt({ prompt: prompt.content, files });
  const parent = systemParent(sending, prompt.parent);
  const turn = core.journal().addTurn({ role: 'user', content, parent });
  dispatchConversation(core);
  return turn.id;
}

/** Shows an answer in the transcript. */
function createView({ core, settings }: Sending) {
  const { transcript } = core;
  let isOpen = false;
  let lateReasoning = '';
  const open = async () => {
    if (isOpen) return;
    isOpen = true;
    await transcript.openAnswer(settings.model);
  };
  const sink: Sink = {
    async event(event) {
      core.dispatch({ type: 'chat-event', event, now: core.context.clock.monotonic() });
      if (event.type === 'text-received') {
        await open();
        await transcript.answerText(event.text);
        core.dispatch({ type: 'undecided-changed', text: transcript.undecided() });
      } else if (event.type === 'reasoning-received' && core.state().showsReasoning) {
        if (isOpen) lateReasoning += event.text;
        else await transcript.reasoningText(event.text);
      }
    },
  };
  /** Opens the answer for the end of one without text, but not for a refusal: that is shown as a notice. */
  const openForEnd = ({ metadata }: Answer) =>
    metadata.refusal === undefined ? open() : Promise.resolve();
  return { sink, openForEnd, isOpen: () => isOpen, lateReasoning: () => lateReasoning };
}

type View = ReturnType<typeof createView>;

/** Asks once, and once more after a new key. */
function receive(
  { core, settings, signal }: Sending,
  promptId: string,
  recorder: AnswerRecorder,
  { sink }: View,
): Promise<Answer> {
  const { service, guard, context } = core;
  const { clock } = context;
  const send = () => {
    const conversation = endingWith(core.journal().conversation(), promptId);
    const { tokens } = contextUse(conversation, undefined);
    const { request, warning } = service.plan(messagesFor(conversation), settings, tokens);
    if (warning !== undefined) core.print([notice(warning)]);
    return service.client().chat(request, { signal, hurry: () => core.hurried() });
  };
  const gathering: typeof guard = {
    ...guard,
    restore: (events) =>
      gatherTexts(guard.restore(events), (skipsOne) => core.screen.nextUpdate(skipsOne)),
  };
  const question = { send, clock, signal, recorder, guard: gathering };
  return renewKey(core, signal, () => ask(question, sink));
}

function finishNotice(reason: string | undefined): string | undefined {
  if (reason === undefined || reason === 'stop') return undefined;
  return reason === 'length'
    ? 'the answer reached the token limit; /continue resumes it'
    : `the answer ended with ${reason}`;
}

/** The notices after a complete answer. @param removed its characters that were not shown */
function printNotices(core: SessionCore, answer: Answer, view: View, removed: number): void {
  const { metadata, failure } = answer;
  const { refusal, finishReason } = metadata;
  const reasoning = view.lateReasoning();
  const texts = [
    reasoning === '' ? undefined : `reasoning after the first text: ${reasoning}`,
    refusal === undefined
      ? (failure?.message ?? finishNotice(finishReason))
      : refusalNotice(refusal),
    truncationWarning(metadata),
    removed === 0 ? undefined : `${hiddenCharacters(removed)} of the answer not shown`,
  ].filter((text) => text !== undefined);
  core.print(texts.map((text) => notice(cleanLine(core.context, text))));
}

/** Ends an answer in the journal and on the screen. A response that is no answer counts as complete. */
async function endAnswer(
  core: SessionCore,
  answer: Answer,
  recorder: AnswerRecorder,
  view: View,
): Promise<AnswerOutcome> {
  const { transcript } = core;
  const { error, failure, isStopped, metadata } = answer;
  if (error === undefined || failure?.kind === 'no_answer') {
    recorder.end(failure?.kind);
    await view.openForEnd(answer);
    printNotices(core, answer, view, await transcript.closeAnswer());
    return { type: 'finished' };
  }
  const text = failureText(error, core.context);
  recorder.end(isStopped ? undefined : text.kind);
  await transcript.closeAnswer();
  const { refusal } = metadata;
  if (refusal !== undefined) core.print([notice(cleanLine(core.context, refusalNotice(refusal)))]);
  const hasText = view.isOpen() || refusal !== undefined;
  if (isStopped) return { type: 'stopped', hasText };
  return { type: 'failed', hasText, failure: text, isRecorded: true };
}

/** An answer to a turn, shown and recorded. */
async function answerTurn(sending: Sending, promptId: string) {
  const { core, settings, nextModel } = sending;
  const { model } = settings;
  const recorder = createAnswerRecorder(core.journal(), { model, nextModel, parent: promptId });
  const view = createView(sending);
  const answer = await receive(sending, promptId, recorder, view);
  return { ...answer, outcome: await endAnswer(core, answer, recorder, view) };
}

/** Answers, and asks again while an answer does not match the schema of its prompt file. */
async function answerChecked(
  sending: Sending,
  check: AnswerCheck,
  promptId: string,
): Promise<AnswerOutcome> {
  const { core } = sending;
  const mismatch = (text: string) =>
    cleanLine(core.context, `the answer does not match the schema: ${text}`);
  let id = promptId;
  const answers = await askUntilConforming({
    check,
    // The journal has what is sent.
    messages: [],
    send(_messages, correction) {
      if (correction?.isRepeat === false) {
        id = core.journal().addTurn({ role: 'user', content: correction.prompt }).id;
        dispatchConversation(core);
      }
      return answerTurn(sending, id);
    },
    onMismatch(text, retry) {
      core.print([notice(`${mismatch(text)}; asking again (${retry} of ${check.retries})`)]);
      return true;
    },
  });
  const { answer, checked: { violations = [] } = {} } = lastOf(answers);
  if (violations.length > 0) {
    const text = mismatch(describeViolations(violations));
    core.print([failureEntry(text, '/retry asks for a different answer, without a check')]);
  }
  return answer.outcome;
}

/** The prompt with the text, the settings and the check of its prompt file, if it has one. */
async function filled(sending: Sending, prompt: PromptToSend) {
  if (prompt.type !== 'new' || prompt.use === undefined) {
    return { type: 'filled', prompt, sending } as const;
  }
  const { core, settings, signal } = sending;
  const found = await fillPrompt(core, { ...prompt, use: prompt.use }, settings, signal);
  if (found.type === 'unconfirmed') return found;
  const { check } = found;
  const own = { ...sending, settings: found.settings, check };
  return { type: 'filled', prompt: found.prompt, sending: own } as const;
}

async function sendPrompt(unfilled: Sending, given: PromptToSend): Promise<AnswerOutcome> {
  const { core, signal } = unfilled;
  try {
    const whole = await filled(unfilled, given);
    if (whole.type === 'unconfirmed') return whole;
    const { prompt, sending } = whole;
    const checked = await checkFiles(core, prompt, signal);
    if (checked.type === 'unconfirmed') return checked;
    const promptId =
      prompt.type === 'repeat'
        ? recordRepeated(sending, prompt.turnId)
        : await recordNew(sending, prompt, checked);
    if (sending.check !== undefined) {
      return await answerChecked(sending, sending.check, promptId);
    }
    return (await answerTurn(sending, promptId)).outcome;
  } catch (error) {
    await core.transcript.closeAnswer();
    if (signal.aborted) return { type: 'stopped', hasText: false };
    const failure = failureText(error, core.context);
    return { type: 'failed', hasText: false, failure, isRecorded: false };
  }
}

/** Sends a prompt and shows its answer. Always dispatches `answer-ended`. */
export async function runSend(
  core: SessionCore,
  { prompt, settings, nextModel }: Effect & { readonly type: 'send' },
): Promise<void> {
  const sending = { core, settings, nextModel, signal: core.begin(), check: undefined };
  const outcome = await sendPrompt(sending, prompt);
  const conversation = core.journal().conversation();
  core.dispatch({
    type: 'answer-ended',
    outcome,
    conversation,
    now: core.context.clock.monotonic(),
  });
}

/** Asks, and once more if the service refused the key and a password manager's command prints a different one. */
export async function renewKey(
  core: SessionCore,
  signal: AbortSignal,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const answer = await send();
  const { error } = answer;
  const isRejected = error instanceof Failure && error.status === 401 && !signal.aborted;
  const renew = isRejected ? core.service.keyRenewal() : undefined;
  if (renew === undefined) return answer;
  try {
    return (await core.screen.lend(renew)) ? await send() : answer;
  } catch (thrown) {
    return { ...answer, error: thrown, failure: toFailure(thrown) };
  }
}

import { type Answer, ask, type Question } from '../../ask/ask.ts';
import { type AnswerCheck, askUntilConforming, mismatchText } from '../../ask/check.ts';
import { askModels, type Chain, type Choice, chooseModel } from '../../ask/fallback.ts';
import { planRequest } from '../../ask/plan-request.ts';
import { composePrompt, type AttachedFile } from '../../conversation/compose-prompt.ts';
import {
  type AnswerRecorder,
  createAnswerRecorder,
} from '../../conversation/journal/record-answer.ts';
import type { NewAnswer } from '../../conversation/journal/journal.ts';
import { endingWith, pathOf } from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { hiddenCharacters, refusalNotice, truncationWarning } from '../../output/notices.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import type {
  AnswerActivity,
  AnswerOutcome,
  Update,
  ReplState,
  PromptToSend,
  PromptUse,
  SessionSettings,
  NewPrompt,
} from '../state.ts';
import { recalledDraft } from '../composer/history.ts';
import { shownText } from '../composer/paste.ts';
import type { Draft } from '../composer/text-buffer.ts';
import {
  contextUse,
  gapEntries,
  messagesFor,
  timeOf,
  updateConversation,
  nextParent,
  reasonedText,
  tokenLimitNotice,
  withBranch,
} from '../conversations/position.ts';
import { expectedDelay } from '../../output/activity.ts';
import { estimateTokens, tokensOfPiece } from '../../conversation/token-estimate.ts';
import { failureEntry, notice } from '../transcript/transcript.ts';
import { checkFiles, Unconfirmed } from '../files/attachments.ts';
import { type Session, failureText } from '../session.ts';
import { step, newAnswer, withUndecided } from '../step.ts';
import type { ChatEvent } from '../../client/events.ts';

interface Sending {
  readonly session: Session;
  readonly settings: SessionSettings;
  readonly nextModel: string | undefined;
  readonly signal: AbortSignal;
}

/** Records the current system prompt, unless it already applies after `parent`. @returns the parent of the prompt */
function systemParent({ session, settings }: Sending, parent: string | undefined) {
  const journal = session.journal();
  const path = pathOf(endingWith(journal.conversation(), parent));
  const last = path.findLast(({ role }) => role === 'system')?.content ?? '';
  const content = settings.system ?? '';
  return last === content ? parent : journal.addTurn({ role: 'system', content, parent }).id;
}

/** If the system prompt has changed, the repeated prompt is recorded as a new version. @returns the id of its turn */
function recordRepeated(sending: Sending, turnId: string): string {
  const journal = sending.session.journal();
  const prompt = journal.conversation().turns.get(turnId);
  if (prompt === undefined) return turnId;
  const parent = systemParent(sending, prompt.parent);
  if (parent === prompt.parent) return turnId;
  return journal.addTurn({ role: 'user', content: prompt.content, parent }).id;
}

/** Shows a new prompt with its files and records it. @returns the id of its turn */
async function recordNew(sending: Sending, prompt: NewPrompt): Promise<string> {
  const { session, signal } = sending;
  const { files, entries } = await checkFiles(session, prompt, signal);
  const sent = { createdAt: session.context.clock.date(), parent: prompt.parent };
  session.print(gapEntries(timeOf(session.state(), sent)));
  session.print([{ type: 'prompt', text: prompt.shown, needsEcho: prompt.needsEcho }]);
  session.print(entries);
  const content = composePrompt({ prompt: prompt.content, files });
  const parent = systemParent(sending, prompt.parent);
  const turn = session.journal().addTurn({ role: 'user', content, parent });
  updateConversation(session);
  return turn.id;
}

/** What asks for the rest of a cut answer. It is no turn of the conversation. */
const continuation = {
  role: 'user',
  content: 'Continue exactly where your last answer stopped, without repeating any of it.',
} as const;

/** Why an answer is unusual: a refusal, its failure or finish reason, or that the service cut the prompt. */
export function endingTexts({ metadata, failure }: Answer, limit?: string): readonly string[] {
  const { refusal, finishReason = 'stop' } = metadata;
  const reason = finishReason === 'length' ? limit : undefined;
  const ended = finishReason === 'stop' ? undefined : `the answer ended with ${finishReason}`;
  const end =
    refusal === undefined ? (failure?.message ?? reason ?? ended) : refusalNotice(refusal);
  return [end, truncationWarning(metadata)].filter((text) => text !== undefined);
}

/** The notices after a complete answer. @param removed its characters that were not shown */
function printNotices(session: Session, answer: Answer, view: View, removed: number): void {
  const isShown = session.state().reasoning === 'show';
  const reasoning = isShown ? view.reasoning.slice(view.written) : '';
  const explainsThought = view.hidesThought && !session.state().hasExplainedThought;
  if (explainsThought) session.update((state) => step({ ...state, hasExplainedThought: true }));
  const explanation =
    'the reasoning (<think>) of the answer is not shown; /reasoning show shows it in the next answers';
  const texts = [
    reasoning === '' ? undefined : `reasoning after the first text: ${reasoning}`,
    ...endingTexts(answer, tokenLimitNotice),
    removed === 0 ? undefined : `${hiddenCharacters(removed)} of the answer not shown`,
    explainsThought ? explanation : undefined,
  ].filter((text) => text !== undefined);
  session.print(texts.map((text) => notice(cleanLine(session.context, text))));
}

/** Ends an answer in the journal and on the screen. A response that is no answer counts as complete. */
async function endAnswer(
  session: Session,
  answer: Answer & { readonly choice?: Choice },
  recorder: AnswerRecorder,
  view: View,
): Promise<AnswerOutcome> {
  const { transcript } = session;
  const { error, failure, isStopped, metadata } = answer;
  if (error === undefined || failure?.kind === 'no_answer') {
    recorder.end(failure?.kind);
    // A refusal is shown as a notice.
    if (metadata.refusal === undefined) await view.open();
    printNotices(session, answer, view, await transcript.closeAnswer());
    return { type: 'finished' };
  }
  const text = failureText(error, session.context);
  recorder.end(isStopped ? undefined : text.kind);
  await transcript.closeAnswer(!isStopped);
  const { refusal } = metadata;
  if (refusal !== undefined)
    session.print([notice(cleanLine(session.context, refusalNotice(refusal)))]);
  const hasText = view.isOpen || refusal !== undefined;
  if (isStopped) return { type: 'stopped', hasText };
  const first = hasText ? undefined : answer.choice?.failed[0]?.failure;
  // What helps is about the model of the conversation, and not about the last fallback.
  const shown = first === undefined ? text : failureText(first, session.context);
  return { type: 'failed', hasText, failure: { ...shown, message: text.message } };
}

/**
 * Shows and records an answer to a prompt, or the rest of an answer. A model that the user named, or whose answer is
 * continued, has no fallback. @param failed the models that failed already
 */
async function answerTurn(sending: Sending, turnId: string, failed: Choice['failed'] = []) {
  const { session, settings, nextModel, signal } = sending;
  const { service, options, context } = session;
  const journal = session.journal();
  const conversation = endingWith(journal.conversation(), turnId);
  const isContinuation = conversation.turns.get(turnId)?.role === 'assistant';
  const messages = messagesFor(conversation, isContinuation ? [continuation] : []);
  const { tokens } = contextUse({ conversation });
  const models = service.models(settings);
  const isAlone = isContinuation || nextModel !== undefined;
  const chain: Chain = {
    models: isAlone ? models.slice(0, 1) : models,
    plan: (model) => planRequest(model.settings, messages, options.stream, '/model', tokens),
    onStep(_failed, next, text) {
      session.print([notice(cleanLine(context, text))]);
      const { model } = next.settings.values;
      session.update((state) => {
        if (state.activity?.type !== 'answer') return step(state);
        const { retry: _retry, ...rest } = state.activity;
        return step({ ...state, activity: { ...rest, phase: 'waiting', model } });
      });
    },
  };
  const continued = isContinuation ? turnId : undefined;
  const begin = (answer: NewAnswer) => ({
    recorder: createAnswerRecorder(journal, { nextModel, ...answer, parent: turnId }, continued),
    view: createView(session, answer.model),
  });
  let begun = begin({ model: settings.model });
  const send = async (choice: Choice) => {
    const { model, planned, answer } = choice;
    begun = begin(answer);
    if (planned.warning !== undefined) session.print([notice(planned.warning)]);
    const { recorder, view } = begun;
    const request = async () => {
      const client = await service.current().clientOf(model.settings);
      return client.chat(planned.request, { signal, hurry: () => session.hurried() });
    };
    const { profile } = model.settings;
    const hasOwnKey = profile.value !== session.settings.profile.value;
    const question = { send: request, signal, recorder, guard: service, clock: context.clock };
    return askShown(session, view, question, hasOwnKey);
  };
  let answer: Parameters<typeof endAnswer>[1];
  try {
    answer = await askModels(chain, chooseModel(chain, failed), send);
  } catch (error) {
    answer = await ask({ clock: context.clock, signal, send: () => Promise.reject(error) });
  }
  const { recorder, view } = begun;
  const outcome = await endAnswer(session, answer, recorder, view);
  if (outcome.type === 'finished') countTokens(session, tokens, answer, true);
  return { ...answer, outcome };
}

/** Answers, and asks again while an answer does not match the schema of its prompt file. */
async function answerChecked(sending: Sending, check: AnswerCheck | undefined, promptId: string) {
  const { session } = sending;
  let id = promptId;
  let failed: Choice['failed'] = [];
  const answers = await askUntilConforming({
    check,
    // The journal has what is sent.
    messages: [],
    async send(_messages, correction) {
      if (correction !== undefined) {
        id = session.journal().addTurn({ role: 'user', content: correction }).id;
        updateConversation(session);
      }
      const answer = await answerTurn(sending, id, failed);
      failed = answer.choice?.failed ?? [];
      return answer;
    },
    onMismatch: (text) => session.print([notice(cleanLine(session.context, text))]),
  });
  const { answer, checked: { violations = [] } = {} } = answers.last;
  if (violations.length > 0) {
    const text = cleanLine(session.context, mismatchText(violations));
    session.print([failureEntry(text, '/retry asks for a different answer, without a check')]);
  }
  return answer.outcome;
}

/** The prompt with the text, the settings and the check of its prompt file. @throws Failure; Unconfirmed */
async function fill({ session, settings, signal }: Sending, prompt: NewPrompt, use: PromptUse) {
  const { name } = use.prompt;
  const filled = await use.prompt.fill(use.values, use.text, signal);
  const { content, settings: own, notices, check } = filled;
  session.print(notices.map((text) => notice(cleanLine(session.context, text))));
  const texts: readonly AttachedFile[] = [
    { name: `/${name}`, content },
    { name: `the system prompt of /${name}`, content: own.system ?? '' },
  ];
  const { files, problem } = session.service.inspect(texts, prompt);
  if (problem !== undefined) throw new Unconfirmed(problem, { cause: problem });
  const [sent = content, system = ''] = files.map((file) => file.content);
  const { set = {}, removed = [] } = settings.parameters ?? {};
  // Those of the prompt file win.
  const parameters = { set: { ...set, ...own.parameters.set }, removed };
  const withSystem = own.system === undefined ? own : { ...own, system };
  return {
    prompt: { ...prompt, content: sent, shown: shownText(recalledDraft(sent, 1)) },
    settings: { ...settings, ...withSystem, parameters },
    check,
  };
}

/** Sends a prompt and shows its answer. What it throws is about a prompt that is not recorded. */
export async function sendPrompt(
  session: Session,
  sent: {
    readonly prompt: PromptToSend;
    readonly settings: SessionSettings;
    /** The model of the next prompts, if this one has a different one. */
    readonly nextModel?: string | undefined;
  },
  signal: AbortSignal,
): Promise<AnswerOutcome> {
  const { prompt, settings, nextModel } = sent;
  const sending = { session, settings, nextModel, signal };
  try {
    if (prompt.type !== 'new') {
      const id = prompt.type === 'repeat' ? recordRepeated(sending, prompt.turnId) : prompt.turnId;
      return (await answerTurn(sending, id)).outcome;
    }
    const filled = prompt.use && (await fill(sending, prompt, prompt.use));
    const own = { ...sending, ...(filled && { settings: filled.settings }) };
    const id = await recordNew(own, filled?.prompt ?? prompt);
    return await answerChecked(own, filled?.check, id);
  } catch (error) {
    if (!(error instanceof Unconfirmed)) throw error;
    return { type: 'unconfirmed', problem: error.message, hasSecrets: error.cause !== undefined };
  } finally {
    await session.transcript.closeAnswer();
    updateConversation(session);
  }
}

/** Sends a prompt. `draft` is restored to the composer if there is no answer; `own` is for this answer only. */
export function startAnswer(
  state: ReplState,
  prompt: PromptToSend,
  draft: Draft | undefined,
  own?: SessionSettings,
  comparedWith?: string,
): Update {
  const { attachments, restoredFiles } = state;
  const settings = own ?? state.settings;
  const isNew = prompt.type === 'new';
  const next: ReplState = {
    ...state,
    attachments: isNew ? [] : attachments.filter((file) => !restoredFiles.includes(file)),
    restoredFiles: [],
    activity: {
      ...newAnswer(state, settings.model),
      draft,
      files: isNew ? prompt.files : [],
      comparedWith,
      isContinuation: prompt.type === 'continue',
    },
  };
  const nextModel = own && state.settings.model;
  const input: Parameters<typeof sendPrompt>[1] = { prompt, settings, nextModel };
  return step(next, { run: sendPrompt, input, isActivity: true });
}

export function startPrompt(
  state: ReplState,
  prompt: Pick<NewPrompt, 'content' | 'shown' | 'mentions' | 'needsEcho' | 'use'>,
  draft: Draft,
  own?: SessionSettings,
): Update {
  const whole: NewPrompt = {
    type: 'new',
    ...prompt,
    files: state.attachments,
    isConfirmed: prompt.content === state.unconfirmed,
    isRedacted: state.isRedacting === true,
    parent: nextParent(state),
  };
  const sent = startAnswer({ ...state, unconfirmed: undefined }, whole, draft, own);
  return { ...sent, state: withBranch(sent.state, undefined) };
}

/**
 * Asks, and once more if the service refused the key and a password manager's command prints a different one.
 * @param hasOwnKey the key is that of a different profile
 */
export async function askShown(
  { service, screen }: Session,
  view: View,
  question: Question,
  hasOwnKey = false,
): Promise<Answer> {
  const answer = await ask(question, view);
  const { error } = answer;
  const isRejected = error instanceof Failure && error.status === 401 && !question.signal.aborted;
  const renew = isRejected && !hasOwnKey ? service.keyRenewal() : undefined;
  try {
    const isNew = renew !== undefined && (await screen.lend(renew));
    return isNew ? await ask(question, view) : answer;
  } catch (thrown) {
    return { ...answer, error: thrown, failure: toFailure(thrown) };
  }
}

/** Adds the tokens of an answer to those of the session. @param estimate of its prompt @param isTurn not an aside */
export function countTokens(session: Session, estimate: number, answer: Answer, isTurn = false) {
  const { received, metadata } = answer;
  const { usage = {} } = metadata;
  if (received === '' && !isTurn) return;
  const { prompt_tokens: reported, completion_tokens, cached_tokens: cached = 0 } = usage;
  const completion = completion_tokens ?? estimateTokens(received);
  session.update((state) => {
    const { answers, estimated, promptTokens, cachedTokens, completionTokens } = state.usage;
    const sums = {
      answers: answers + (isTurn ? 1 : 0),
      estimated: estimated + (isTurn && reported === undefined ? 1 : 0),
      promptTokens: promptTokens + (reported ?? estimate),
      cachedTokens: cachedTokens + cached,
      completionTokens: completionTokens + completion,
    };
    return step({ ...state, usage: sums });
  });
}

export function onChatEvent(state: ReplState, event: ChatEvent): Update {
  const { activity, now } = state;
  if (activity?.type !== 'answer') return step(state);
  const { retry: _retry, ...others } = activity;
  const show = (changes: Partial<AnswerActivity>) =>
    step({ ...state, activity: { ...others, lastAt: now, ...changes } });
  switch (event.type) {
    case 'retry-scheduled': {
      const { retry, retries } = event;
      const { status, message } = event.cause;
      // A narrow window cuts the end of a long cause, and the status is what people look for.
      const cause =
        status === undefined ? message : `${status}: ${message.replace(` (${status})`, '')}`;
      const at = now + expectedDelay(event);
      return show({ phase: 'retrying', retry: { cause, retry, retries, at } });
    }
    case 'answer-started':
      return show({ phase: 'waiting' });
    case 'text-received':
    case 'refusal-received':
      return show({ phase: 'streaming', tokens: activity.tokens + tokensOfPiece(event.text) });
    case 'answer-named':
    case 'reasoning-received':
    case 'answer-finished':
      return step({ ...state, activity: { ...activity, lastAt: now } });
  }
}

export function createView(session: Session, model: string) {
  const { transcript } = session;
  const shown = {
    isOpen: false,
    reasoning: '',
    reasonedSince: 0,
    /** UTF-16 units of the reasoning that are written or skipped. */
    written: 0,
    /** Reasoning that the service sent as text of the answer was not shown. */
    hidesThought: false,
  };
  const open = async () => {
    if (shown.isOpen) return;
    shown.isOpen = true;
    shown.written = shown.reasoning.length;
    if (session.state().reasoning === 'minimize' && shown.reasoning.trim() !== '') {
      const time = session.context.clock.monotonic() - shown.reasonedSince;
      await transcript.print([notice(reasonedText(shown.reasoning, time))]);
    }
    await transcript.openAnswer(model);
  };
  const show = async (event: ChatEvent): Promise<void> => {
    session.update((state) => onChatEvent(state, event));
    if (event.type === 'text-received') {
      await open();
      await transcript.answerText(event.text);
      const undecided = transcript.undecided();
      session.update((state) => withUndecided(state, undecided));
    } else if (event.type === 'reasoning-received') {
      const { reasoning: mode } = session.state();
      if (shown.reasoning === '') shown.reasonedSince = session.context.clock.monotonic();
      shown.reasoning += event.text;
      shown.hidesThought ||= event.received !== undefined && mode === 'hide';
      if (shown.isOpen || mode !== 'show') return;
      // All of it, if it is shown only from now on.
      const text = shown.reasoning.slice(shown.written);
      shown.written = shown.reasoning.length;
      await transcript.reasoningText(text);
    }
  };
  return Object.assign(shown, { event: show, open });
}

type View = ReturnType<typeof createView>;

import { type Answer, ask, type Question, type Sink } from '../../ask/ask.ts';
import { type AnswerCheck, askUntilConforming, mismatchText } from '../../ask/check.ts';
import { composePrompt, type AttachedFile } from '../../conversation/compose-prompt.ts';
import {
  type AnswerRecorder,
  createAnswerRecorder,
  createContinuationRecorder,
} from '../../conversation/journal/record-answer.ts';
import { promptTime } from '../../conversation/prompt-time.ts';
import { endingWith, pathOf } from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import { toFailure } from '../../output/ending-failure.ts';
import { hiddenCharacters, refusalNotice, truncationWarning } from '../../output/notices.ts';
import { cleanLine } from '../../secrets/secrets.ts';
import type {
  AnswerActivity,
  AnswerEnd,
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
  timeBefore,
  updateConversation,
  nextParent,
  reasonedText,
  tokenLimitNotice,
  withBranch,
} from '../conversations/position.ts';
import { expectedDelay } from '../../output/activity.ts';
import { tokensOfPiece } from '../../conversation/token-estimate.ts';
import { failureEntry, notice } from '../transcript/transcript.ts';
import { checkFiles, Unconfirmed } from '../files/mentioned-files.ts';
import { type Session, failureText } from '../session.ts';
import { task, step, newAnswer, withUndecided } from '../step.ts';
import type { ChatEvent } from '../../client/events.ts';

/** A prompt on its way, with the settings of its prompt file. */
interface Sending {
  readonly session: Session;
  readonly settings: SessionSettings;
  readonly nextModel: string | undefined;
  readonly signal: AbortSignal;
}

/** Records the current system prompt, unless it already applies after `parent`. @returns the parent of the prompt */
function systemParent(
  { session, settings }: Sending,
  parent: string | undefined,
): string | undefined {
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
  if (session.state().settings.times === 'on') {
    const before = timeBefore(session.journal().conversation(), prompt.parent);
    session.print(gapEntries(promptTime(session.context.clock.date(), before)));
  }
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

/** Explains it once, until the user chooses. */
const thoughtNotice =
  'the reasoning (<think>) of the answer is not shown; /reasoning show shows it in the next answers';

const isAnswer = (session: Session, turnId: string) =>
  session.journal().conversation().turns.get(turnId)?.role === 'assistant';

function finishNotice(reason: string | undefined): string | undefined {
  if (reason === undefined || reason === 'stop') return undefined;
  return reason === 'length' ? tokenLimitNotice : `the answer ended with ${reason}`;
}

/** The notices after a complete answer. @param removed its characters that were not shown */
function printNotices(session: Session, answer: Answer, view: View, removed: number): void {
  const { metadata, failure } = answer;
  const { refusal, finishReason } = metadata;
  const isShown = session.state().reasoning === 'show';
  const reasoning = isShown ? view.reasoning.slice(view.written) : '';
  const explainsThought = view.hidesThought && !session.state().hasExplainedThought;
  if (explainsThought) session.update((state) => step({ ...state, hasExplainedThought: true }));
  const texts = [
    reasoning === '' ? undefined : `reasoning after the first text: ${reasoning}`,
    refusal === undefined
      ? (failure?.message ?? finishNotice(finishReason))
      : refusalNotice(refusal),
    truncationWarning(metadata),
    removed === 0 ? undefined : `${hiddenCharacters(removed)} of the answer not shown`,
    explainsThought ? thoughtNotice : undefined,
  ].filter((text) => text !== undefined);
  session.print(texts.map((text) => notice(cleanLine(session.context, text))));
}

/** Ends an answer in the journal and on the screen. A response that is no answer counts as complete. */
async function endAnswer(
  session: Session,
  answer: Answer,
  recorder: AnswerRecorder,
  view: View,
): Promise<AnswerOutcome> {
  const { transcript } = session;
  const { error, failure, isStopped, metadata } = answer;
  if (error === undefined || failure?.kind === 'no_answer') {
    recorder.end(failure?.kind);
    await view.openForEnd(answer);
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
  return { type: 'failed', hasText, failure: text, isRecorded: true };
}

/** An answer, shown and recorded. @param turnId the prompt, or the answer to continue */
async function answerTurn(sending: Sending, turnId: string) {
  const { session, settings, nextModel, signal } = sending;
  const { model } = settings;
  const { service } = session;
  const journal = session.journal();
  const recorder = isAnswer(session, turnId)
    ? createContinuationRecorder(journal, turnId)
    : createAnswerRecorder(journal, { model, nextModel, parent: turnId });
  const view = createView(session, model);
  const send = () => {
    const conversation = endingWith(journal.conversation(), turnId);
    const messages = messagesFor(conversation, isAnswer(session, turnId) ? [continuation] : []);
    const { tokens } = contextUse({ conversation });
    const { request, warning } = service.plan(messages, settings, tokens);
    if (warning !== undefined) session.print([notice(warning)]);
    return service.client().chat(request, { signal, hurry: () => session.hurried() });
  };
  const answer = await askShown(session, view, { send, signal, recorder });
  return { ...answer, outcome: await endAnswer(session, answer, recorder, view) };
}

/** Answers, and asks again while an answer does not match the schema of its prompt file. */
async function answerChecked(
  sending: Sending,
  check: AnswerCheck,
  promptId: string,
): Promise<AnswerOutcome> {
  const { session } = sending;
  let id = promptId;
  const answers = await askUntilConforming({
    check,
    // The journal has what is sent.
    messages: [],
    send(_messages, correction) {
      if (correction !== undefined) {
        id = session.journal().addTurn({ role: 'user', content: correction }).id;
        updateConversation(session);
      }
      return answerTurn(sending, id);
    },
    onMismatch(text) {
      session.print([notice(cleanLine(session.context, text))]);
      return true;
    },
  });
  const { answer, checked: { violations = [] } = {} } = answers.last;
  if (violations.length > 0) {
    const text = cleanLine(session.context, mismatchText(violations));
    session.print([failureEntry(text, '/retry asks for a different answer, without a check')]);
  }
  return answer.outcome;
}

/** The prompt with the text, the settings and the check of its prompt file. @throws Failure; Unconfirmed */
async function filled({ session, settings, signal }: Sending, prompt: NewPrompt, use: PromptUse) {
  const { prompts, guard } = session;
  const { content, settings: own, notices, check } = await prompts.fill(use, signal);
  session.print(notices.map((text) => notice(cleanLine(session.context, text))));
  const texts: readonly AttachedFile[] = [
    { name: `/${use.name}`, content },
    { name: `the system prompt of /${use.name}`, content: own.system ?? '' },
  ];
  const { files, problem } = guard.inspect(texts, prompt);
  if (problem !== undefined) throw new Unconfirmed(problem, true);
  const [sent = content, system = ''] = files.map((file) => file.content);
  const { parameters: before } = settings;
  // Those of the prompt file win.
  const parameters = {
    set: { ...before?.set, ...own.parameters?.set },
    removed: before?.removed ?? [],
  };
  return {
    prompt: { ...prompt, content: sent, shown: shownText(recalledDraft(sent, 1)) },
    settings: {
      ...settings,
      ...own,
      parameters,
      ...(own.system !== undefined && { system }),
    },
    check,
  };
}

async function answerPrompt(sending: Sending, prompt: PromptToSend): Promise<AnswerOutcome> {
  const { session, signal } = sending;
  try {
    if (prompt.type === 'continue') return (await answerTurn(sending, prompt.turnId)).outcome;
    if (prompt.type === 'repeat') {
      return (await answerTurn(sending, recordRepeated(sending, prompt.turnId))).outcome;
    }
    if (prompt.use === undefined) {
      return (await answerTurn(sending, await recordNew(sending, prompt))).outcome;
    }
    const { prompt: whole, settings, check } = await filled(sending, prompt, prompt.use);
    const own = { ...sending, settings };
    const id = await recordNew(own, whole);
    return check === undefined
      ? (await answerTurn(own, id)).outcome
      : await answerChecked(own, check, id);
  } catch (error) {
    await session.transcript.closeAnswer();
    if (error instanceof Unconfirmed) {
      return { type: 'unconfirmed', problem: error.message, hasSecrets: error.hasSecrets };
    }
    if (signal.aborted) return { type: 'stopped', hasText: false };
    const failure = failureText(error, session.context);
    return { type: 'failed', hasText: false, failure, isRecorded: false };
  }
}

interface Sent {
  readonly prompt: PromptToSend;
  readonly settings: SessionSettings;
  /** The model of the next prompts during `/compare`; it differs from the one in `settings`. */
  readonly nextModel?: string;
}

/** Sends a prompt and shows its answer. */
export async function sendPrompt(
  session: Session,
  { prompt, settings, nextModel }: Sent,
): Promise<AnswerEnd> {
  const sending = { session, settings, nextModel, signal: session.begin() };
  const outcome = await answerPrompt(sending, prompt);
  return { outcome, conversation: session.journal().conversation() };
}

/**
 * Sends a prompt. `draft` is restored to the composer if there is no answer. The settings in `options` are for this
 * answer only, `comparedWith` is the id of the answer to compare with.
 */
export function startAnswer(
  state: ReplState,
  prompt: PromptToSend,
  draft: Draft | undefined,
  options?: { readonly settings: SessionSettings; readonly comparedWith?: string },
): Update {
  const { attachments, restoredFiles } = state;
  const settings = options?.settings ?? state.settings;
  const isNew = prompt.type === 'new';
  const next: ReplState = {
    ...state,
    attachments: isNew ? [] : attachments.filter((file) => !restoredFiles.includes(file)),
    restoredFiles: [],
    activity: {
      ...newAnswer(state, settings.model),
      draft,
      files: isNew ? prompt.files : [],
      comparedWith: options?.comparedWith,
      isContinuation: prompt.type === 'continue',
    },
  };
  const nextModel = options === undefined ? {} : { nextModel: state.settings.model };
  return step(next, task(sendPrompt, { prompt, settings, ...nextModel }));
}

/** Sends a new prompt with the files that are attached. */
export function startPrompt(
  state: ReplState,
  prompt: Pick<NewPrompt, 'content' | 'shown' | 'mentions' | 'needsEcho' | 'use'>,
  draft: Draft,
  options?: { readonly settings: SessionSettings },
): Update {
  const whole: NewPrompt = {
    type: 'new',
    ...prompt,
    files: state.attachments,
    isConfirmed: prompt.content === state.unconfirmed,
    isRedacted: state.isRedacting === true,
    parent: nextParent(state),
  };
  const sent = startAnswer({ ...state, unconfirmed: undefined }, whole, draft, options);
  return { ...sent, state: withBranch(sent.state, undefined) };
}

/** Asks, and once more if the service refused the key and a password manager's command prints a different one. */
export async function askShown(
  session: Session,
  view: View,
  asked: {
    readonly send: Question['send'];
    readonly signal: AbortSignal;
    readonly recorder?: AnswerRecorder;
  },
): Promise<Answer> {
  const { guard, context, service, screen } = session;
  const question = { ...asked, guard, clock: context.clock };
  const answer = await ask(question, view.sink);
  const { error } = answer;
  const isRejected = error instanceof Failure && error.status === 401 && !asked.signal.aborted;
  const renew = isRejected ? service.keyRenewal() : undefined;
  try {
    const isNew = renew !== undefined && (await screen.lend(renew));
    return isNew ? await ask(question, view.sink) : answer;
  } catch (thrown) {
    return { ...answer, error: thrown, failure: toFailure(thrown) };
  } finally {
    await view.ended();
  }
}

/** UTF-16 units of text that may wait for an update; then reading waits, too. */
const maxWaiting = 16_384;

/** An event with the text of an earlier one of the same kind before its own; undefined if they cannot be joined. */
function joined(earlier: ChatEvent | undefined, event: ChatEvent): ChatEvent | undefined {
  if (earlier === undefined || !('text' in earlier) || !('text' in event)) return undefined;
  if (earlier.type !== event.type) return undefined;
  const text = earlier.text + event.text;
  return event.type === 'text-received' ? { ...event, text, deltas: [text] } : { ...event, text };
}

/**
 * Shows events at the pace of the screen, which is updated at most once in 33 ms: texts that arrive before that are
 * joined, so that they are formatted and drawn together. Reading continues meanwhile, so that what the service sent is
 * recorded at once.
 */
export function gatherTexts(
  show: (event: ChatEvent) => Promise<void>,
  nextUpdate: () => Promise<void> | undefined,
) {
  let waiting: ChatEvent[] = [];
  let size = 0;
  let showing: Promise<void> | undefined;
  const showAll = async () => {
    while (waiting.length > 0) {
      await nextUpdate();
      const taken = waiting;
      waiting = [];
      size = 0;
      for (const event of taken) await show(event);
    }
    showing = undefined;
  };
  return {
    /** @returns a promise if much waits: it resolves when that is shown */
    event: (event: ChatEvent): Promise<void> | undefined => {
      if ('text' in event) size += event.text.length;
      const longer = joined(waiting.at(-1), event);
      if (longer === undefined) waiting.push(event);
      else waiting[waiting.length - 1] = longer;
      showing ??= showAll();
      // `end` throws it.
      showing.catch(() => undefined);
      return size > maxWaiting ? showing : undefined;
    },
    /** Resolves when everything is shown. */
    end: async (): Promise<void> => showing,
  };
}

function withEvent(activity: AnswerActivity, event: ChatEvent, now: number): AnswerActivity {
  const { retry: _retry, ...others } = activity;
  const rest = { ...others, lastAt: now };
  switch (event.type) {
    case 'retry-scheduled': {
      const { retry, retries, cause } = event;
      const at = now + expectedDelay(event);
      // A narrow window cuts the end of a long cause, and the status is what people look for.
      const { status, message } = cause;
      const text =
        status === undefined ? message : `${status}: ${message.replace(` (${status})`, '')}`;
      const scheduled = { cause: text, retry, retries, at };
      return { ...rest, phase: 'retrying', retry: scheduled };
    }
    case 'answer-started':
      return { ...rest, phase: 'waiting' };
    case 'text-received':
    case 'refusal-received': {
      const tokens = activity.tokens + tokensOfPiece(event.text);
      return { ...rest, phase: 'streaming', tokens };
    }
    case 'answer-named':
    case 'reasoning-received':
    case 'answer-finished':
      return { ...activity, lastAt: now };
  }
}

/** Shows the progress of an answer. */
export function onChatEvent(state: ReplState, event: ChatEvent): Update {
  const { activity, now } = state;
  if (activity?.type !== 'answer') return step(state);
  return step({ ...state, activity: withEvent(activity, event, now) });
}

/** Shows an answer in the transcript. */
export function createView(session: Session, model: string) {
  const { transcript, screen } = session;
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
  const gathering = gatherTexts(show, () => screen.nextUpdate());
  return Object.assign(shown, {
    sink: { event: (event) => gathering.event(event) } satisfies Sink,
    /** Resolves when all that was received is shown. */
    ended: () => gathering.end(),
    /** Opens the answer for the end of one without text, but not for a refusal: that is shown as a notice. */
    openForEnd: ({ metadata }: Answer) =>
      metadata.refusal === undefined ? open() : Promise.resolve(),
  });
}

type View = ReturnType<typeof createView>;

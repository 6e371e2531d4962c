import type { ChatOptions } from '../commands/chat/chat-run.ts';
import { journalOptions, openNamedJournal } from '../ask/open-conversation.ts';
import { canRedraw, type Presentation, type Context, type StartedRun } from '../run.ts';
import { cleanLine } from '../secrets/secrets.ts';
import { displayWidth } from '../terminal/text/width.ts';
import { attachFiles } from '../input/attach-files.ts';
import { otherProfiles, readRequestSettings } from '../settings/read-settings.ts';
import { type Journal, createJournal } from '../conversation/journal/journal.ts';
import { requireDataFolder } from '../conversation/library/conversation-folder.ts';
import { conversationsNamed } from '../conversation/library/library.ts';
import { type Conversation, pathOf } from '../conversation/tree.ts';
import { Failure, withCommands } from '../failure.ts';
import type { Notices } from '../output/notices.ts';
import { keyOf, ownKeyMap } from './composer/keys/key-bindings.ts';
import { createHistory } from './composer/history.ts';
import { typedPrompt } from './composer/paste.ts';
import { createBuffer, draftFrom } from './composer/text-buffer.ts';
import { openList } from './conversation-list/list.ts';
import { openedSettings, showConversation } from './conversations/conversations.ts';
import { contextUse } from './conversations/position.ts';
import { createReplLibrary } from './conversations/library.ts';
import { firstRunDialog } from './connection.ts';
import { type Entry, notice } from './transcript/transcript.ts';
import { createReplFiles } from './files/user-files.ts';
import { startLineMode } from './line-mode/run-line-mode.ts';
import { createReplMemory } from './memory.ts';
import { listPromptFiles } from './prompt-files/send-prompt-file.ts';
import { startLive } from './screen/start-live.ts';
import { symbolsFor } from './screen/symbols.ts';
import { openReplService } from './service.ts';
import type { Repl, Session } from './session.ts';
import type { ReplState } from './state.ts';
import { quit, sourceName } from './step.ts';
import { enterLine } from './update.ts';
import { startVi } from './composer/vi/vi-keys.ts';

/** The session, for what is created before it. */
type Opened = { session: Session | undefined };

/** @throws Failure `usage` for an option that a conversation on a terminal does not have */
export function refuseOneShotOptions({ every, split }: ChatOptions): void {
  const options = Object.entries({ every, split });
  const [name, value] = options.find(([, given]) => given !== undefined) ?? [];
  if (name === undefined) return;
  const need = `--${name} needs a prompt on the command line, or standard input`;
  const hint = `for example: natter --${name} ${value} "sum up" < notes.txt`;
  throw new Failure('usage', need, { hint });
}

/** Notices appear in the session while it is open, else on standard error. */
function presentInSession(context: Context, shown: Presentation, opened: Opened): Presentation {
  const pass = (text: string, otherwise: (text: string) => void) => {
    const { session } = opened;
    if (session === undefined) otherwise(text);
    else session.print([notice(cleanLine(context, withCommands(text)))]);
  };
  const notices: Notices = {
    notice: (text) => pass(text, (plain) => shown.notices.notice(plain)),
    warning: (text) => pass(text, (plain) => shown.notices.warning(plain)),
  };
  return {
    ...shown,
    notices,
    debugLog: (text) => pass(`debug: ${text}`, () => shown.debugLog(text)),
  };
}

/** An idle session in which nothing was typed yet, except what is given. */
export function initialState(
  facts: Pick<ReplState, 'columns' | 'conversation' | 'now' | 'rows' | 'service' | 'settings'> &
    Partial<ReplState>,
): ReplState {
  const { composer = createBuffer() } = facts;
  return {
    isLineMode: false,
    unicode: false,
    reasoning: 'hide',
    hasExplainedThought: false,
    composer,
    restoredText: composer.text || undefined,
    restoredFiles: [],
    hasShell: true,
    // How the draft of an earlier session was entered is not known.
    isShellPasted: composer.text.startsWith('!'),
    history: createHistory(),
    isSearching: false,
    typeAhead: undefined,
    dialog: undefined,
    queue: [],
    isQueuePaused: false,
    attachments: [],
    context: contextUse(facts),
    hasOfferedModel: false,
    compaction: { isAutomatic: false, hasFailed: false },
    usage: { answers: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, estimated: 0 },
    promptFiles: [],
    knownModels: [],
    hasQuit: false,
    ...facts,
  };
}

/** @throws Failure `configuration` for keys that natter cannot use; for a file that cannot be attached */
async function firstState(
  { context, options, presentation, settings, isLineMode, service, memory }: Repl,
  conversation: Conversation,
  first: string,
): Promise<ReplState> {
  const { signal } = context;
  const { stdout } = context.streams;
  const facts = service.facts();
  const isConfigured = settings.values.baseUrl !== undefined || facts.isReplay === true;
  const isFirstRun = !isConfigured && options.sandbox !== true;
  const unsent = isLineMode ? '' : memory.takeDraft();
  const { stdinEncoding: encoding, lossy } = options;
  const { notices } = presentation;
  const reading = { encoding, lossy, signal, context, notices };
  const attachments = await attachFiles(options.file ?? [], reading);
  const { keys, profile, values } = settings;
  const draft = isFirstRun && !isLineMode && first !== '' ? first : unsent;
  const state = initialState({
    isLineMode,
    unicode: presentation.unicode,
    reasoning: options.reasoning === true ? 'show' : 'hide',
    compaction: { isAutomatic: values.compact === 'auto', hasFailed: false },
    hasShell: values.shellCommands,
    columns: stdout.columns(),
    rows: stdout.rows(),
    conversation,
    settings: openedSettings(settings, conversation),
    service: facts,
    history: createHistory(memory.history()),
    composer: createBuffer(draft),
    dialog: isFirstRun ? firstRunDialog : undefined,
    attachments,
    // Line mode has no composer for it.
    queue: isLineMode && first !== '' ? [draftFrom(first)] : [],
    keyMap: ownKeyMap(keys, profile.value),
    now: context.clock.monotonic(),
  });
  return values.editing === 'vi' && !isLineMode ? { ...state, vi: startVi(state.composer) } : state;
}

/** The first row of a new conversation: who answers, and keys to learn, as far as there is room. */
export function welcomeEntry({ service, settings, columns, ...state }: ReplState): Entry {
  const source = sourceName(service);
  if (state.isLineMode) {
    const where = source === undefined ? '' : `${source}, `;
    return notice(`${where}model ${settings.model}; /help lists the commands`);
  }
  const newLine = keyOf('new-line', state.keyMap);
  const keys = ['/help', '@file', ...(newLine === undefined ? [] : [`${newLine} new line`])];
  const parts = ['natter', ...(source === undefined ? [] : [source]), settings.model, ...keys];
  const { dot } = symbolsFor(state.unicode);
  while (parts.length > 1 && displayWidth(parts.join(dot)) >= columns) parts.pop();
  return notice(parts.join(dot));
}

/** The first filter of the list; undefined if only one conversation has that name. @throws Failure `not_found` */
function listFilter(
  folder: string | undefined,
  { resume, continue: isContinued }: ChatOptions,
  prompt: string,
): string | undefined {
  // With a prompt, it means one conversation.
  if (resume === undefined || isContinued === true || prompt !== '') return undefined;
  const found = conversationsNamed(requireDataFolder(folder), resume === true ? 'latest' : resume);
  if (resume === true) return '';
  return found.length > 1 ? resume : undefined;
}

/** Milliseconds: by then the first frame is drawn, and no prompt is typed yet. */
const pause = 1000;

/** Loads large modules that few conversations need, so that a conversation survives an update of natter's files. */
async function loadRest({ clock }: Context, signal: AbortSignal): Promise<void> {
  await clock.sleep(pause, signal);
  await import('../input/attach-others.ts');
  await import('../conversation/export/html.ts');
  await import('../schema/compile-schema.ts');
  await import('../cli/report.ts');
}

/** Shows a resumed conversation, and sends the prompt of the command line. Resolves when the session has ended. */
async function converse(
  repl: Repl,
  journal: Journal,
  filter: string | undefined,
  prompt: string,
  opened: Opened,
): Promise<void> {
  const { context, options, settings, presentation, isLineMode } = repl;
  const { notices } = presentation;
  const first = await firstState(repl, journal.conversation(), prompt);
  const { dialog } = first;
  const state = filter === undefined ? first : { ...first, dialog: undefined };
  const start = isLineMode ? startLineMode : startLive;
  const session = await start(repl, journal, state);
  opened.session = session;
  const leaving = new AbortController();
  try {
    if (pathOf(state.conversation).length > 0) session.print(showConversation(state));
    else if (dialog === undefined && filter === undefined) session.print([welcomeEntry(state)]);
    if (!isLineMode && state.composer.text !== '' && prompt === '') {
      session.print([notice('the unsent draft of your last session here is back')]);
    }
    for (const name of options.file ?? []) notices.notice(`${name} is attached to the next prompt`);
    if (prompt !== '' && state.dialog === undefined) {
      // In line mode it is in the queue, and an empty line sends it.
      session.update((current) => enterLine(current, isLineMode ? '' : prompt));
    }
    if (filter !== undefined) {
      const chosen = { isFirst: true, isBranch: options.branch === true };
      // The dialog opens when the list is closed, or a conversation is chosen.
      session.update((current) =>
        openList({ ...current, dialog }, { options: chosen, query: filter }),
      );
    }
    // At the first start, a profile that is not in use may have a service.
    const others = dialog === undefined ? undefined : otherProfiles(context, settings);
    if (others !== undefined) notices.notice(`${others.problem}: ${others.hint}`);
    // What needs the same later reports an error.
    loadRest(context, leaving.signal).catch(() => undefined);
    listPromptFiles(session).catch(() => undefined);
    const leave = () => session.update(quit);
    context.signal.addEventListener('abort', leave, { signal: leaving.signal });
    if (context.signal.aborted) leave();
    await session.ended;
  } finally {
    leaving.abort('left');
    await session.close();
    opened.session = undefined;
  }
  const { conversation } = session.state();
  const isStored = session.isStored() && conversation.turns.size > 0;
  if (!isStored || context.signal.aborted) return;
  await context.streams.stdout.write(`natter --resume ${conversation.id} reopens it\n`);
}

/** @throws Failure for a problem before the start, or the reason the run was aborted with */
export async function runRepl(
  { context, options, presentation: shown }: StartedRun<ChatOptions>,
  words: readonly string[],
): Promise<void> {
  refuseOneShotOptions(options);
  const opened: Opened = { session: undefined };
  const presentation = presentInSession(context, shown, opened);
  const settings = readRequestSettings(context, shown.notices, options);
  const opening = { context, options, presentation: shown, settings };
  const storing = journalOptions(context, presentation.notices, settings.values.save);
  const prompt = typedPrompt(words.join(' '));
  const filter = listFilter(storing.folder, options, prompt);
  const named = filter === undefined ? await openNamedJournal(opening, storing) : undefined;
  const journal = named ?? createJournal(storing);
  try {
    const run = { context, options, presentation, settings };
    const source = {
      command: 'repl',
      /** The id of a conversation that is on disk. */
      conversation: () =>
        opened.session?.isStored() ? opened.session.state().conversation.id : undefined,
    };
    const service = await openReplService(run, source);
    const memory = createReplMemory(context, settings.values.save, presentation.notices);
    const isLineMode = !canRedraw(context.environment, options);
    const repl: Repl = {
      ...run,
      isLineMode,
      service,
      memory,
      library: createReplLibrary(context, storing),
      files: createReplFiles(context),
    };
    try {
      await converse(repl, journal, filter, prompt, opened);
    } finally {
      memory.close();
      await service.close();
    }
  } catch (error) {
    // Without a session, nothing else closes it.
    await journal.close();
    throw error;
  }
}

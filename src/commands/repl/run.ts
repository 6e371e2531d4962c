import type { Journal } from '../../conversation/journal/journal.ts';
import { createJournal } from '../../conversation/journal/open-journal.ts';
import { modelOf, pathOf } from '../../conversation/tree.ts';
import { firstRunDialog } from '../../repl/state/dialog.ts';
import { welcomeEntry } from '../../repl/text/welcome.ts';
import { showConversation } from '../../repl/effects/show-conversation.ts';
import { draftFrom } from '../../repl/editing/text-buffer.ts';
import { typedPrompt } from '../../repl/editing/paste.ts';
import { initialState } from '../../repl/state/initial-state.ts';
import type { ReplOptions } from '../../repl/session/ports.ts';
import type { Session } from '../../repl/session/session.ts';
import type { ReplState } from '../../repl/state/state.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { terminalTraits } from '../../terminal/device/traits.ts';
import { attachFiles } from '../prompt/attach-files.ts';
import type { ChatOptions } from '../chat/chat-run.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import type { Context } from '../program/context.ts';
import { journalOptions, openNamedJournal, withModelOf } from '../journal/open-conversation.ts';
import { withKeys } from './own-keys.ts';
import { loadOwnPaints } from '../print/answer-output.ts';
import { canRedraw, present } from '../print/presentation.ts';
import { createReplLibrary } from './library.ts';
import { createReplMemory, type ReplMemory } from './memory.ts';
import { replPorts } from './ports.ts';
import { refuseOneShotOptions } from './one-shot-options.ts';
import { listedName } from './opens-list.ts';
import { farewell, savedId } from './farewell.ts';
import { untilLeft } from './until-left.ts';
import { createSessionNotices, type SessionNotices } from './session-notices.ts';
import { openReplService, type ReplService } from './service.ts';
import { commandOf, sessionSettings } from './session-settings.ts';
import { readRequestSettings } from '../service/settings-access.ts';

interface Parts {
  readonly context: Context;
  readonly options: ChatOptions;
  readonly settings: ResolvedSettings;
  readonly isLineMode: boolean;
  readonly sessionNotices: SessionNotices;
  readonly service: ReplService;
  readonly memory: ReplMemory;
  readonly journal: Journal;
  /** Of the list of conversations, with which the session begins; undefined without the list. */
  readonly listFilter: string | undefined;
  /** With the session, once it has started. */
  readonly opened: { session?: Session };
}

async function firstState(parts: Parts, words: readonly string[]): Promise<ReplState> {
  const { context, options, settings, service, memory, journal } = parts;
  const conversation = journal.conversation();
  const facts = service.facts();
  const isConfigured = settings.values.baseUrl !== undefined || facts.isReplay === true;
  const isFirstRun = !isConfigured && options.sandbox !== true;
  const first = typedPrompt(words.join(' '));
  const unsent = parts.isLineMode ? '' : memory.takeDraft();
  const state = initialState({
    isLineMode: parts.isLineMode,
    unicode: parts.sessionNotices.presentation.unicode,
    showsReasoning: options.reasoning ?? false,
    compactsAutomatically: settings.values.compact === 'auto',
    hasShell: settings.values.shellCommands,
    columns: context.streams.stdout.columns(),
    rows: context.streams.stdout.rows(),
    conversation,
    settings: sessionSettings(settings, conversation),
    service: facts,
    history: memory.history(),
    draft: isFirstRun && !parts.isLineMode && first !== '' ? first : unsent,
    dialog: isFirstRun ? firstRunDialog() : undefined,
    now: context.clock.monotonic(),
  });
  const { stdinEncoding: encoding, lossy } = options;
  const { signal } = context;
  const { notices } = parts.sessionNotices.presentation;
  const reading = { encoding, lossy, signal, context, notices };
  const attachments = await attachFiles(options.file ?? [], reading);
  // Line mode has no composer for it.
  const queue = parts.isLineMode && first !== '' ? [draftFrom(first)] : [];
  return withKeys({ ...state, attachments, queue }, settings);
}

async function start(parts: Parts, state: ReplState): Promise<Session> {
  const { context, memory, sessionNotices, service, journal } = parts;
  const library = createReplLibrary(
    { ...context, isSpoken: parts.isLineMode },
    sessionNotices.journalOptions,
  );
  const ports = replPorts({ ...parts, service, library, memory });
  const options: ReplOptions = {
    ports,
    journal,
    state,
    device: context.device,
    stdout: context.streams.stdout,
  };
  if (parts.isLineMode) {
    const { startLineMode } = await import('../../repl/line-mode/run-line-mode.ts');
    const editsLines = context.environment['TERM'] !== 'dumb';
    return startLineMode({ ...options, editsLines, showsSource: parts.options.plain === true });
  }
  const { startLive } = await import('../../repl/live/start-live.ts');
  const { style, unicode, opensLinks, colors } = sessionNotices.presentation;
  const { environment } = context;
  const traits = { ...terminalTraits(environment), shapesCursor: state.vi !== undefined };
  const { windowTitle: title, ...values } = parts.settings.values;
  const window = { ...values, title, environment };
  const own = await loadOwnPaints(parts.settings.colors, colors);
  return startLive({
    ...options,
    ownPaints: own,
    style,
    unicode,
    opensLinks,
    colors,
    window,
    traits,
  });
}

/** The option is refused; the setting is for other commands, too. */
const noFallback =
  'the setting fallback does not apply to a conversation on a terminal; /retry MODEL asks a different model';

/** Shows a resumed conversation and sends the prompt of the command line. */
function open(parts: Parts, session: Session, words: readonly string[]): void {
  const { context, options, sessionNotices } = parts;
  sessionNotices.redirect((text) => session.dispatch({ type: 'notice-received', text }));
  const state = session.state();
  if (pathOf(state.conversation).length > 0) session.print(showConversation(state.conversation));
  else if (state.dialog === undefined && parts.listFilter === undefined)
    session.print([welcomeEntry(state)]);
  for (const name of options.file ?? [])
    sessionNotices.notify(`${name} is attached to the next prompt`);
  if (parts.settings.values.fallback !== undefined) sessionNotices.notify(noFallback);
  const prompt = typedPrompt(words.join(' '));
  if (prompt === '' || state.dialog !== undefined) return;
  // In line mode it is in the queue, and an empty line sends it.
  const text = parts.isLineMode ? '' : prompt;
  session.dispatch({ type: 'line-entered', text, now: context.clock.monotonic() });
}

/** At the first start: a profile that is not in use may have a service. */
async function notifyOfProfiles({ context, settings, sessionNotices }: Parts): Promise<void> {
  const { otherProfiles } = await import('../service/other-profiles.ts');
  const others = otherProfiles(context, settings);
  if (others !== undefined) sessionNotices.notify(`${others.problem}: ${others.hint}`);
}

async function listPrompts(parts: Parts, session: Session): Promise<void> {
  const { notices } = parts.sessionNotices.presentation;
  const { announcePrompts } = await import('./prompts-port.ts');
  await announcePrompts({ ...parts, notices }, session);
}

async function preload({ context, service }: Parts, signal: AbortSignal): Promise<void> {
  const { preloadRepl } = await import('./preload.ts');
  await preloadRepl(context.clock, signal, service);
}

/** After the first frame. What needs the same later reports an error. */
function prepareLater(parts: Parts, session: Session, signal: AbortSignal): void {
  for (const work of [listPrompts(parts, session), preload(parts, signal)]) {
    work.catch(() => undefined);
  }
}

async function converse(parts: Parts, words: readonly string[]): Promise<void> {
  const { context, sessionNotices, listFilter: filter } = parts;
  const first = await firstState(parts, words);
  const { dialog } = first;
  const session = await start(
    parts,
    filter === undefined ? first : { ...first, dialog: undefined },
  );
  parts.opened.session = session;
  const leaving = new AbortController();
  try {
    open(parts, session, words);
    if (filter !== undefined) {
      (await import('./start-list.ts')).requestList({ ...parts, filter, dialog }, session);
    }
    if (dialog !== undefined) await notifyOfProfiles(parts);
    prepareLater(parts, session, leaving.signal);
    await untilLeft(context.signal, session);
  } finally {
    leaving.abort('left');
    await session.close();
    sessionNotices.redirect(undefined);
  }
  await context.streams.stdout.write(farewell(context, session));
}

async function serve(
  parts: Omit<Parts, 'settings' | 'isLineMode' | 'service' | 'memory'>,
  read: ResolvedSettings,
  words: readonly string[],
): Promise<void> {
  const { context, options, sessionNotices, journal, opened } = parts;
  const { presentation, notify } = sessionNotices;
  const settings = withModelOf(read, modelOf(journal.conversation()));
  const conversation = () => opened.session && savedId(opened.session);
  const source = {
    get command() {
      return commandOf(opened.session?.state());
    },
    conversation,
  };
  const service = await openReplService({ context, presentation, options, settings, source });
  const memory = createReplMemory(context, settings.values.save, notify);
  try {
    const isLineMode = !canRedraw(context.environment, options);
    await converse({ ...parts, settings, isLineMode, service, memory }, words);
  } finally {
    memory.close();
    await service.close();
  }
}

/** @throws Failure for a problem before the start, or the reason the run was aborted with */
export async function runRepl(
  context: Context,
  options: ChatOptions,
  words: readonly string[],
): Promise<void> {
  refuseOneShotOptions(options);
  const shown = await present(context, options);
  const read = readRequestSettings(context, shown.notices, options);
  const clean = (text: string) => cleanLine(context, text);
  const sessionNotices = createSessionNotices(shown, clean, (notices) =>
    journalOptions(context, notices, read.values.save),
  );
  const access = { context, notices: shown.notices, journal: sessionNotices.journalOptions };
  const name = listedName(options, words);
  const listFilter =
    name === undefined ? undefined : (await import('./start-list.ts')).listFilter(access, name);
  const named = listFilter === undefined ? await openNamedJournal(access, options) : undefined;
  const journal = named ?? createJournal(sessionNotices.journalOptions);
  try {
    await serve({ context, options, sessionNotices, journal, listFilter, opened: {} }, read, words);
  } catch (error) {
    // Without a session, nothing else closes it.
    await journal.close();
    throw error;
  }
}

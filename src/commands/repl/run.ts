import type { Journal } from '../../conversation/journal/journal.ts';
import { createJournal } from '../../conversation/journal/open-journal.ts';
import { modelOf, pathOf, systemOf, type Conversation } from '../../conversation/tree.ts';
import { firstRunDialog } from '../../repl/state/dialog.ts';
import { showConversation } from '../../repl/effects/show-conversation.ts';
import { draftFrom } from '../../repl/editing/text-buffer.ts';
import { typedPrompt } from '../../repl/editing/paste.ts';
import { initialState } from '../../repl/state/initial-state.ts';
import type { ReplOptions } from '../../repl/session/ports.ts';
import type { Session } from '../../repl/session/session.ts';
import type { ReplState } from '../../repl/state/state.ts';
import type { SessionSettings } from '../../repl/state/effect.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { terminalTraits } from '../../terminal/device/traits.ts';
import { attachFiles } from '../prompt/attach-files.ts';
import type { ChatOptions } from '../chat/run.ts';
import { cleanLine } from '../program/mask-secrets.ts';
import type { Context } from '../program/context.ts';
import {
  isExplicitlySet,
  journalOptions,
  openNamedJournal,
  withModelOf,
} from '../journal/open-conversation.ts';
import { preloadRepl } from './preload.ts';
import { canRedraw, present } from '../print/presentation.ts';
import { createReplLibrary } from './library.ts';
import { createReplMemory, type ReplMemory } from './memory.ts';
import { replPorts } from './ports.ts';
import { refuseOneShotOptions } from './one-shot-options.ts';
import { createSessionNotices, type SessionNotices } from './session-notices.ts';
import { openReplService, type ReplService } from './service.ts';
import { nameUsage } from '../service/metered-service.ts';
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
  /** With the session, once it has started. */
  readonly opened: { session?: Session };
}

/** The id of a conversation that is on disk. */
function savedId(session: Session): string | undefined {
  return session.isStored() ? session.state().conversation.id : undefined;
}

function sessionSettings(settings: ResolvedSettings, conversation: Conversation): SessionSettings {
  const { model, maxTokens, system: configured } = settings.values;
  const recorded = systemOf(conversation);
  const system =
    isExplicitlySet(settings, 'system') || recorded === undefined ? configured : recorded;
  return { model, maxTokens, system, theme: 'color' };
}

async function firstState(parts: Parts, words: readonly string[]): Promise<ReplState> {
  const { context, options, settings, service, memory, journal } = parts;
  const { stdout } = context.streams;
  const conversation = journal.conversation();
  const facts = service.facts();
  const isConfigured = settings.values.baseUrl !== undefined || facts.isReplay === true;
  const isFirstRun = !isConfigured && options.sandbox !== true;
  const first = typedPrompt(words.join(' '));
  const unsent = parts.isLineMode ? '' : memory.takeDraft();
  const state = initialState({
    isLineMode: parts.isLineMode,
    showsReasoning: options.reasoning ?? false,
    columns: stdout.columns(),
    rows: stdout.rows(),
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
  return { ...state, attachments, queue };
}

async function start(parts: Parts, state: ReplState): Promise<Session> {
  const { context, memory, sessionNotices, service, journal } = parts;
  const library = createReplLibrary(context, sessionNotices.journalOptions);
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
    return startLineMode({ ...options, editsLines: context.environment['TERM'] !== 'dumb' });
  }
  const { startLive } = await import('../../repl/live/start-live.ts');
  const { style, unicode } = sessionNotices.presentation;
  return startLive({ ...options, style, unicode, traits: terminalTraits(context.environment) });
}

/** Shows a resumed conversation and sends the prompt of the command line. */
function open(parts: Parts, session: Session, words: readonly string[]): void {
  const { context, options, sessionNotices } = parts;
  sessionNotices.redirect((text) => session.dispatch({ type: 'notice-received', text }));
  const state = session.state();
  if (pathOf(state.conversation).length > 0) session.print(showConversation(state.conversation));
  for (const name of options.file ?? [])
    sessionNotices.notify(`${name} is attached to the next prompt`);
  const prompt = typedPrompt(words.join(' '));
  if (prompt === '' || state.dialog !== undefined) return;
  // In line mode it is in the queue, and an empty line sends it.
  const text = parts.isLineMode ? '' : prompt;
  session.dispatch({ type: 'line-entered', text, now: context.clock.monotonic() });
}

async function untilLeft(signal: AbortSignal, session: Session): Promise<void> {
  let abort: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => (abort = resolve));
  signal.addEventListener('abort', abort, { once: true });
  if (!signal.aborted) await Promise.race([session.ended, aborted]);
  signal.removeEventListener('abort', abort);
}

/** One line about how to reopen the conversation; empty if it is not stored. */
function farewell({ context }: Parts, session: Session): string {
  const { conversation } = session.state();
  const isStored = session.isStored() && conversation.turns.size > 0;
  if (!isStored || context.signal.aborted) return '';
  return `natter --resume ${conversation.id} reopens this conversation\n`;
}

/** At the first start: a profile that is not in use may have a service. */
async function notifyOfProfiles({ context, settings, sessionNotices }: Parts): Promise<void> {
  const { otherProfiles } = await import('../service/other-profiles.ts');
  const others = otherProfiles(context, settings);
  if (others !== undefined) sessionNotices.notify(`${others.problem}: ${others.hint}`);
}

async function converse(parts: Parts, words: readonly string[]): Promise<void> {
  const { context, sessionNotices } = parts;
  const session = await start(parts, await firstState(parts, words));
  parts.opened.session = session;
  open(parts, session, words);
  if (session.state().dialog !== undefined) await notifyOfProfiles(parts);
  const leaving = new AbortController();
  void preloadRepl(context.clock, leaving.signal);
  try {
    await untilLeft(context.signal, session);
  } finally {
    leaving.abort('left');
    await session.close();
    sessionNotices.redirect(undefined);
  }
  await context.streams.stdout.write(farewell(parts, session));
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
  nameUsage(context, { command: 'repl', conversation });
  const service = await openReplService({ context, presentation, options, settings });
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
  const named = await openNamedJournal(access, options);
  const journal = named ?? createJournal(sessionNotices.journalOptions);
  try {
    await serve({ context, options, sessionNotices, journal, opened: {} }, read, words);
  } catch (error) {
    // Without a session, nothing else closes it.
    await journal.close();
    throw error;
  }
}

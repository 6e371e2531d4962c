import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Run, Context, GlobalOptions } from '../run.ts';
import { changedParams, resumedChanges } from './plan-request.ts';
import type { Message } from '../client/contract.ts';
import {
  type Journal,
  type JournalOptions,
  branchJournal,
  createJournal,
  resumeJournal,
  startTitledJournal,
} from '../conversation/journal/journal.ts';
import { requireDataFolder, lockFile } from '../conversation/library/conversation-folder.ts';
import {
  findConversation,
  findOld,
  findTitled,
  latestIn,
  listEntries,
  type LibraryEntry,
  removeForGood,
} from '../conversation/library/library.ts';
import {
  loadConversation,
  startFolder,
  summarize,
} from '../conversation/library/read-conversation.ts';
import {
  type Conversation,
  type Role,
  messagesOf,
  modelOf,
  pathOf,
  systemOf,
  textOf,
  titleOf,
} from '../conversation/tree.ts';
import { Failure } from '../failure.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';
import { countOf, timeAgo } from '../output/figures.ts';
import type { Notices } from '../output/notices.ts';
import { resolveFolders, type FolderFacts } from '../settings/folders.ts';
import { type ResolvedSettings, withValues } from '../settings/resolved-settings.ts';
import { awaitLock } from '../storage/lock.ts';
import { parseAge } from '../settings/definitions.ts';
import { replaceFile } from '../storage/files.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import { localDay } from '../usage/days.ts';
import { maskText } from '../secrets/secrets.ts';

export interface ConversationOptions extends GlobalOptions {
  readonly continue?: boolean;
  /** An id, a title or `latest`; true without one. */
  readonly resume?: string | true;
  readonly branch?: boolean;
  /** The title of the conversation to continue or to start. */
  readonly conversation?: string;
  /** `--save`, `--no-save`; if undefined, the setting applies. */
  readonly save?: boolean;
}

/** Finds the folder above that of the conversations. @throws Failure `storage` if the home folder is unknown */
export function dataFolder(facts: FolderFacts): string {
  return requireDataFolder(resolveFolders(facts).data);
}

/** Finds and reads a conversation as far as possible; warns about lost lines. @throws Failure */
export function readConversation(facts: FolderFacts, notices: Notices, name: string): Conversation {
  const { id, path: file } = findConversation(dataFolder(facts), name);
  const { fold, warning, records } = loadConversation(file, id);
  if (records === 0) {
    const hint = `its file is ${file}`;
    throw new Failure('storage', `conversation ${id} has no readable records`, { hint });
  }
  if (warning !== undefined) notices.warning(warning);
  return fold.conversation();
}

/** Makes the options of every journal; its texts are masked with the secrets of the run. */
export function journalOptions(context: Context, notices: Notices, save: boolean): JournalOptions {
  const { clock, random, process, version, secrets } = context;
  const { data: folder } = resolveFolders(context);
  const onWarning: JournalOptions['onWarning'] = (...words) => notices.warning(...words);
  const mask = (text: string) => maskText(secrets, text);
  const startedIn = path.resolve('.');
  return { folder, save, clock, random, process, version, startedIn, mask, onWarning };
}

/** Whether an option, a prompt file or an environment variable sets it for this run. */
export function isExplicitlySet(settings: ResolvedSettings, key: 'model' | 'system'): boolean {
  const { kind } = settings.sources[key];
  return kind !== 'profile' && kind !== 'default' && kind !== 'conversation';
}

/** The settings with the model of a resumed conversation, unless this run names one. */
export function withModelOf(
  settings: ResolvedSettings,
  model: string | undefined,
): ResolvedSettings {
  const isChosen = isExplicitlySet(settings, 'model') || settings.values.model === 'auto';
  if (isChosen || model === undefined) return settings;
  return withValues(settings, { model }, { kind: 'conversation', name: 'conversation' });
}

/**
 * Waits up to a minute until it is known whether the natter that has a lock is still running; it may be in a different
 * container or on a different host.
 * @param subject what is locked, for the notice
 * @throws Failure `storage`; the signal's reason
 */
export async function awaitHolder(
  { process, clock, signal }: Context,
  notices: Notices,
  lockPath: string,
  subject: string,
): Promise<void> {
  if (!existsSync(lockPath)) return;
  try {
    await awaitLock(lockPath, { process, clock, signal }, ({ processId, host }, longest) => {
      const holder = `process ${processId} on ${host}`;
      const wait = `checking for up to ${Math.ceil(longest / 1000)} s whether it is still running`;
      notices.notice(`another natter (${holder}) has ${subject} open; ${wait}`);
    });
  } catch (error) {
    signal.throwIfAborted();
    throw storageFailure('write', lockPath, error);
  }
}

async function openResumed(
  { context, presentation }: Run,
  options: JournalOptions,
  { id }: LibraryEntry,
  branch = false,
): Promise<Journal> {
  if (branch) return branchJournal(options, id);
  const lockPath = lockFile(requireDataFolder(options.folder), id);
  await awaitHolder(context, presentation.notices, lockPath, `conversation ${id}`);
  const resumed = resumeJournal(options, id);
  if (resumed instanceof Failure) throw resumed;
  return resumed;
}

/** The conversation that `-c` continues; undefined with a notice if there is none. */
function findLatest({ context, presentation, settings }: Run): LibraryEntry | undefined {
  const { notices } = presentation;
  const here = path.resolve('.');
  const folder = dataFolder(context);
  const isHere = settings.values.continue === 'folder';
  const latest = isHere ? latestIn(folder, here) : listEntries(folder)[0];
  if (latest === undefined) {
    notices.notice(
      `there is no conversation yet${isHere ? ' in this folder' : ''}; this starts one`,
    );
    return undefined;
  }
  const origin = startFolder(latest.path);
  if (origin !== undefined && origin !== here) {
    const age = timeAgo(latest.changedAt, context.clock.date());
    const { title } = summarize(latest.path);
    notices.notice(`continuing "${title}" (${age}), which was started in ${origin}`);
  }
  return latest;
}

/** The conversation with that title, which may be a new one; undefined for a new one that is not saved. */
async function openTitled(
  run: Run,
  options: JournalOptions,
  name: string,
): Promise<Journal | undefined> {
  const title = name.replaceAll(/\s+/g, ' ').trim();
  if (title === '') throw new Failure('usage', '--conversation needs a name');
  const { folder } = options;
  if (folder === undefined) return undefined;
  for (;;) {
    const found = findTitled(folder, title);
    if (typeof found !== 'string') return openResumed(run, options, found);
    run.presentation.notices.notice(`there is no conversation "${title}" yet; this starts it`);
    if (options.save === false) return undefined;
    const journal = startTitledJournal({ ...options, folder }, title, found);
    if (journal !== undefined) return journal;
  }
}

async function findNamedJournal(
  run: Run<ConversationOptions>,
  journal: JournalOptions,
): Promise<Journal | undefined> {
  const { resume, continue: isContinued = false, branch = false, conversation } = run.options;
  if (conversation !== undefined) return openTitled(run, journal, conversation);
  const name = resume === true ? 'latest' : resume;
  const latest = () => (isContinued ? findLatest(run) : undefined);
  const entry =
    name === undefined ? latest() : findConversation(requireDataFolder(journal.folder), name);
  if (entry !== undefined) return openResumed(run, journal, entry, branch);
  if (!branch) return undefined;
  const hint = 'add --continue, or --resume and its id';
  throw new Failure('usage', '--branch needs a conversation to copy', { hint });
}

/** The last day on which natter applied each age. */
function readDays(file: string): JsonObject {
  try {
    const days = parseJson(readFileSync(file, 'utf8'));
    return isJsonObject(days) ? days : {};
  } catch {
    // It is missing at first.
    return {};
  }
}

/**
 * Applies the setting `keep` for the first conversation of a day. Without a state folder, nothing is deleted: natter
 * would not know what it said.
 * @param openId the conversation that this run continues, which stays
 */
function applyKeep({ context, presentation, settings }: Run, openId: string | undefined): void {
  const { keep } = settings.values;
  const kept = parseAge(keep);
  if (kept === undefined) return;
  const { notices } = presentation;
  const { data, state } = resolveFolders(context);
  if (data === undefined || state === undefined) return;
  const now = context.clock.date();
  const today = localDay(now);
  const file = path.join(state, 'keep.json');
  const days = readDays(file);
  const { [keep]: last } = days;
  // The clock may have been set back.
  if (typeof last === 'string' && last >= today) return;
  try {
    replaceFile(file, `${JSON.stringify({ ...days, [keep]: today })}\n`, context.process.id);
    const before = new Date(now.getTime() - kept);
    const old = findOld(data, before, context).filter(({ id }) => id !== openId);
    if (typeof last !== 'string') {
      const number = countOf(old.length, 'conversation');
      const off = '‹natter config set keep forever› turns this off';
      notices.warning(
        `keep is ${keep}: from tomorrow on, natter deletes older conversations for good, ${number} at present; ${off}`,
      );
      return;
    }
    const deleted = old.filter((entry) => removeForGood(data, entry, context)).length;
    if (deleted === 0) return;
    notices.notice(
      `deleted ${countOf(deleted, 'conversation')} older than ${keep} for good (keep)`,
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(`old conversations were not deleted: ${error.message}`);
  }
}

/**
 * The journal of the conversation that the options name; undefined for a new one. The setting `keep` is applied, unless
 * nothing is saved.
 * @throws Failure if it cannot be found or opened
 */
export async function openNamedJournal(
  run: Run<ConversationOptions>,
  options: JournalOptions,
): Promise<Journal | undefined> {
  const journal = await findNamedJournal(run, options);
  if (options.save !== false) applyKeep(run, journal?.conversation().id);
  return journal;
}

/**
 * The conversation that the options name, or a new one, open for one prompt; nothing is written before `record`.
 * @param history turns before the prompt, of a conversation that has none
 * @throws Failure if the one to resume cannot be found or opened
 */
export async function openConversation(
  run: Run<ConversationOptions>,
  prompt: string,
  history: readonly Message[] = [],
) {
  const { context, options, settings } = run;
  const { notices } = run.presentation;
  const { system, save } = settings.values;
  const opening = journalOptions(context, notices, save && options.dryRun !== true);
  const named = await openNamedJournal(run, opening);
  const journal = named ?? createJournal(opening);
  const conversation = journal.conversation();
  if (history.length > 0 && conversation.turns.size > 0) {
    await journal.close();
    const text = `the conversation "${titleOf(conversation)}" has turns already, so messages cannot start it`;
    throw new Failure('usage', text, { hint: 'use a different name, or omit the messages' });
  }
  const leaf = pathOf(conversation).at(-1);
  if (leaf !== undefined && (leaf.role === 'user' || textOf(leaf) === '')) {
    notices.notice('the last prompt of this conversation has no answer and is not sent');
  }
  const isNewSystem =
    named === undefined
      ? system !== ''
      : isExplicitlySet(settings, 'system') && system !== systemOf(conversation);
  const user = { role: 'user', content: prompt } as const;
  const own = system !== undefined && isNewSystem ? [{ role: 'system', content: system }] : [];
  const turns = [...own, ...history, user] as { role: Role; content: string }[];
  // Options of this run override the parameters of a resumed conversation.
  const changes = resumedChanges(settings.params, conversation.parameters);
  const params = changedParams(settings.params, changes);
  let isSaved = named !== undefined;
  return {
    settings: withModelOf({ ...settings, params }, modelOf(conversation)),
    messages: messagesOf(conversation, turns),
    /** Undefined while it is not saved. */
    saved() {
      if (!isSaved) return undefined;
      const title = maskText(context.secrets, titleOf(journal.conversation()));
      return { id: conversation.id, title };
    },
    /**
     * Writes the prompt to the journal, before it is sent.
     * @returns the journal and the prompt's turn; undefined for a new conversation that is not saved
     */
    record() {
      if (named === undefined && !save) return undefined;
      isSaved = true;
      return { journal, parent: turns.map((turn) => journal.addTurn(turn).id).at(-1) };
    },
    close: () => journal.close(),
  };
}

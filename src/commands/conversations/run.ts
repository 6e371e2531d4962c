import { findConversation } from '../../conversation/library/find-conversation.ts';
import {
  deleteConversation,
  listEntries,
  renameConversation,
  undeleteConversation,
  type LibraryEntry,
} from '../../conversation/library/library.ts';
import {
  summarize,
  type ConversationSummary,
} from '../../conversation/library/read-conversation.ts';
import { Failure } from '../../failure.ts';
import { count } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import type { Column } from '../../output/table.ts';
import { timeAgo } from '../../output/time-ago.ts';
import type { JsonOptions } from '../program/global-options.ts';
import type { ListConversationsOptions } from './options.ts';
import type { Context } from '../program/context.ts';
import { dataFolder } from '../journal/library-access.ts';
import { present } from '../print/presentation.ts';
import { printJson, printTable } from '../print/print-data.ts';

const columns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'CHANGED' },
  { heading: 'TURNS', align: 'right', isSpare: true },
  { heading: 'TOKENS', align: 'right', isSpare: true },
  { heading: 'MODEL', isSpare: true },
  { heading: 'TITLE' },
];

/** Rows that fit a terminal's attention; more on request. */
const shortList = 30;

interface Listed {
  readonly entry: LibraryEntry;
  readonly summary: ConversationSummary;
}

/** Entries with what a list shows of them; a file that cannot be read costs a warning. */
function summarizeAll(entries: readonly LibraryEntry[], notices: Notices): readonly Listed[] {
  return entries.flatMap((entry) => {
    try {
      const summary = summarize(entry.path);
      if (summary.records > 0) return [{ entry, summary }];
      notices.warning(`${entry.path} has no readable records`);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      notices.warning(error.message);
    }
    return [];
  });
}

function cells({ entry, summary }: Listed, isTerminal: boolean, now: Date): readonly string[] {
  const { tokens, turns, model = '', title } = summary;
  return [
    entry.id,
    isTerminal ? timeAgo(entry.changedAt, now) : entry.changedAt.toISOString(),
    String(turns),
    tokens === undefined ? '' : isTerminal ? count(tokens) : String(tokens),
    model,
    title,
  ];
}

function documentOf({ entry, summary }: Listed) {
  return {
    id: entry.id,
    title: summary.title,
    changed_at: entry.changedAt.toISOString(),
    created_at: summary.createdAt?.toISOString() ?? null,
    turns: summary.turns,
    tokens: summary.tokens ?? null,
    model: summary.model ?? null,
    bytes: entry.size,
  };
}

/** Runs `natter conversations list`. @throws Failure */
export async function listConversations(
  context: Context,
  options: ListConversationsOptions,
): Promise<void> {
  const { notices, style } = await present(context, options);
  const { isTerminal } = context.streams.stdout;
  const section = options.deleted === true ? 'trash' : 'conversations';
  const entries = listEntries(dataFolder(context), section);
  const isShort = isTerminal && options.all !== true && options.json !== true;
  const listed = summarizeAll(isShort ? entries.slice(0, shortList) : entries, notices);
  if (options.json === true) {
    await printJson(context, listed.map(documentOf));
    return;
  }
  if (entries.length === 0) {
    notices.notice(section === 'trash' ? 'the trash is empty' : 'there are no conversations yet');
    return;
  }
  const now = context.clock.date();
  const rows = listed.map((row) => cells(row, isTerminal, now));
  await printTable(context, { style }, columns, rows);
  if (isShort && entries.length > shortList) {
    notices.notice(`showing the last ${shortList} of ${entries.length}; --all shows all`);
  }
}

const describe = ({ id, path }: LibraryEntry) => {
  const { title } = summarize(path);
  return title === '' ? id : `${id} (${title})`;
};

/** Runs `natter conversations rename`. @throws Failure */
export async function renameConversations(
  context: Context,
  options: JsonOptions,
  name: string,
  title: string,
): Promise<void> {
  const given = title.replaceAll(/\s+/g, ' ').trim();
  if (given === '') throw new Failure('usage', 'a title needs at least one visible character');
  const entry = findConversation(dataFolder(context), name);
  renameConversation(entry, given);
  (await present(context, options)).notices.notice(`renamed ${describe(entry)}`);
}

/** Runs `natter conversations delete`. All names are looked up before anything moves. @throws Failure */
export async function deleteConversations(
  context: Context,
  options: JsonOptions,
  names: readonly string[],
): Promise<void> {
  const { notices } = await present(context, options);
  const folder = dataFolder(context);
  for (const entry of unique(names.map((name) => findConversation(folder, name)))) {
    const text = describe(entry);
    deleteConversation(folder, entry, context);
    notices.notice(`deleted ${text}; restore it with natter conversations undelete ${entry.id}`);
  }
}

function unique(entries: readonly LibraryEntry[]): readonly LibraryEntry[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

/** Runs `natter conversations undelete`. @throws Failure */
export async function undeleteConversations(
  context: Context,
  options: JsonOptions,
  names: readonly string[],
): Promise<void> {
  const { notices } = await present(context, options);
  const folder = dataFolder(context);
  const entries =
    names.length === 0
      ? listEntries(folder, 'trash')
      : unique(names.map((name) => findConversation(folder, name, 'trash')));
  if (entries.length === 0) notices.notice('the trash is empty');
  for (const entry of entries) {
    const text = describe(entry);
    undeleteConversation(folder, entry);
    notices.notice(`restored ${text}`);
  }
}

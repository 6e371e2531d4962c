import { findConversation } from '../../conversation/library/find-conversation.ts';
import {
  deleteConversation,
  listEntries,
  renameConversation as changeTitle,
  undeleteConversation,
  type LibraryEntry,
} from '../../conversation/library/library.ts';
import {
  markedTitle,
  summarize,
  type ConversationSummary,
} from '../../conversation/library/read-conversation.ts';
import { Failure } from '../../failure.ts';
import { count, timeAgo } from '../../output/figures.ts';
import type { Notices } from '../../output/notices.ts';
import type { Column } from '../../output/table.ts';
import { dataFolder } from '../journal/library-access.ts';
import { present, type Action, type JsonOptions } from '../../run.ts';
import { printJson, printTable } from '../print/print-data.ts';

export interface ListConversationsOptions extends JsonOptions {
  readonly all?: boolean;
  readonly deleted?: boolean;
}

const columns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'CHANGED' },
  { heading: 'TURNS', align: 'right', isSpare: true },
  { heading: 'TOKENS', align: 'right', isSpare: true },
  { heading: 'MODEL', isSpare: true },
  { heading: 'TITLE' },
];

/** Maximum rows on a terminal without `--all`. */
const shortList = 30;

interface SummarizedEntry {
  readonly entry: LibraryEntry;
  readonly summary: ConversationSummary;
}

/** Summarizes entries; warns about unreadable files and leaves them out. */
function summarizeAll(
  entries: readonly LibraryEntry[],
  notices: Notices,
): readonly SummarizedEntry[] {
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

function cells(
  { entry, summary }: SummarizedEntry,
  isTerminal: boolean,
  now: Date,
): readonly string[] {
  const { tokens, turns, model = '', title } = summary;
  return [
    entry.id,
    isTerminal ? timeAgo(entry.changedAt, now) : entry.changedAt.toISOString(),
    String(turns),
    tokens === undefined ? '' : isTerminal ? count(tokens) : String(tokens),
    model,
    // Fields of a pipe are data.
    isTerminal ? markedTitle(summary) : title,
  ];
}

function documentOf({ entry, summary }: SummarizedEntry) {
  return {
    id: entry.id,
    title: summary.title,
    changed_at: entry.changedAt.toISOString(),
    created_at: summary.createdAt?.toISOString() ?? null,
    turns: summary.turns,
    tokens: summary.tokens ?? null,
    model: summary.model ?? null,
    answered: summary.isAnswered,
    bytes: entry.size,
  };
}

export const listConversations: Action<ListConversationsOptions> = async (context, options) => {
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
};

const describe = ({ id, path }: LibraryEntry) => {
  const { title } = summarize(path);
  return title === '' ? id : `${id} (${title})`;
};

export const renameConversation: Action<JsonOptions, [name: string, title: string]> = async (
  context,
  options,
  name,
  title,
) => {
  const newTitle = title.replaceAll(/\s+/g, ' ').trim();
  if (newTitle === '') throw new Failure('usage', 'a title needs at least one visible character');
  const entry = findConversation(dataFolder(context), name);
  changeTitle(entry, newTitle);
  (await present(context, options)).notices.notice(`renamed ${describe(entry)}`);
};

const unique = (entries: readonly LibraryEntry[]): readonly LibraryEntry[] => [
  ...new Map(entries.map((entry) => [entry.id, entry])).values(),
];

type RunOnNames = Action<JsonOptions, [names: readonly string[]]>;

/** Runs `natter conversations delete`. Finds all conversations before it moves any. @throws Failure */
export const deleteConversations: RunOnNames = async (context, options, names) => {
  const { notices } = await present(context, options);
  const folder = dataFolder(context);
  for (const entry of unique(names.map((name) => findConversation(folder, name)))) {
    const text = describe(entry);
    deleteConversation(folder, entry, context);
    notices.notice(`deleted ${text}; restore it with natter conversations undelete ${entry.id}`);
  }
};

export const undeleteConversations: RunOnNames = async (context, options, names) => {
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
};

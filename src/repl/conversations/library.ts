import { setImmediate as nextTick } from 'node:timers/promises';
import {
  requireDataFolder,
  conversationsFolder,
  lockFile,
} from '../../conversation/library/conversation-folder.ts';
import {
  conversationsNamed,
  listEntries,
  type LibraryEntry,
} from '../../conversation/library/library.ts';
import type { JournalOptions } from '../../conversation/journal/journal-file.ts';
import {
  branchJournal,
  createJournal,
  resumeJournal,
} from '../../conversation/journal/open-journal.ts';
import {
  markedTitle,
  summarize,
  type ConversationSummary,
  loadConversation,
} from '../../conversation/library/read-conversation.ts';
import {
  searchTerms,
  compileTerms,
  occursIn,
  searchConversation,
  type SearchPatterns,
  compilePattern,
  type FoundTurn,
} from '../../conversation/library/search.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { formatTable, type Column, spokenRows } from '../../output/table.ts';
import { timeAgo } from '../../output/figures.ts';
import type { Candidate } from '../composer/completion.ts';
import { plainStyle } from '../../terminal/style.ts';
import type { Context } from '../../run.ts';
import { splitPrompt } from '../../conversation/compose-prompt.ts';
import { pathOf, textOf, type Turn } from '../../conversation/tree.ts';
import type { ListedConversation, PreviewTurn } from '../state.ts';
import { isHeldElsewhere } from '../../storage/lock/lock.ts';
import { errorCode } from '../../storage/storage-failure.ts';

const titleColumn: Column = { heading: 'TITLE' };
const facts: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'CHANGED' },
  { heading: 'TURNS', align: 'right', isSpare: true },
];
const columns = [...facts, titleColumn];
const searchColumns = [
  ...facts,
  { heading: 'HITS', align: 'right', isSpare: true },
  titleColumn,
] as const;

/** Milliseconds of reading after which keys and timers are handled. */
const maxSliceTime = 25;

/** The maximum number of rows in a list, and of candidates. */
const maxRows = 20;

interface Listed {
  readonly entry: LibraryEntry;
  readonly summary: ConversationSummary;
}

/** Newest first. Unreadable files are skipped; `natter conversations list` reports them. */
function* listed(folder: string): Generator<Listed, void> {
  for (const entry of listEntries(folder)) {
    try {
      const summary = summarize(entry.path);
      if (summary.records > 0) yield { entry, summary };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
}

interface Row extends Listed {
  /** How often the text contains the query. */
  readonly hits: number;
}

/** The hits in the texts; undefined if a term is neither in them nor in the title. */
function hitsIn({ entry, summary }: Listed, { each, any }: SearchPatterns): number | undefined {
  let hits = 0;
  for (const found of searchConversation(entry.path, any, 0)) hits += found.hits;
  const isInText = (term: RegExp) => hits > 0 && (term === any || occursIn(entry.path, term));
  const isFound = (term: RegExp) => summary.title.search(term) >= 0 || isInText(term);
  return each.every(isFound) ? hits : undefined;
}

/** Conversations with every term in title or text, newest first; one more than fits if there are more. */
async function search(
  clock: Clock,
  folder: string,
  terms: readonly string[],
  signal: AbortSignal,
): Promise<readonly Row[]> {
  const patterns = terms.length === 0 ? undefined : compileTerms(terms);
  const rows: Row[] = [];
  let sliceStart = clock.monotonic();
  for (const conversation of listed(folder)) {
    const hits = patterns === undefined ? 0 : hitsIn(conversation, patterns);
    if (hits !== undefined) rows.push({ ...conversation, hits });
    if (rows.length > maxRows) break;
    if (clock.monotonic() - sliceStart < maxSliceTime) continue;
    await nextTick();
    signal.throwIfAborted();
    sliceStart = clock.monotonic();
  }
  return rows;
}

/** The title says more than the id. */
const titleFirst = <Cell>(cells: readonly Cell[]): readonly Cell[] => [
  ...cells.slice(-1),
  ...cells.slice(0, -1),
];

async function describe(
  context: Context,
  isSpoken: boolean,
  folder: string,
  query: string,
  signal: AbortSignal,
): Promise<string> {
  const terms = searchTerms(query);
  const isSearch = terms.length > 0;
  const found = await search(context.clock, folder, terms, signal);
  if (found.length === 0) {
    return isSearch
      ? `no conversation contains ${terms.map((term) => `"${term}"`).join(' and ')}`
      : 'there is no conversation yet';
  }
  const now = context.clock.date();
  const rows = found
    .slice(0, maxRows)
    .map(({ entry, summary, hits }) => [
      entry.id,
      timeAgo(entry.changedAt, now),
      String(summary.turns),
      ...(isSearch ? [String(hits)] : []),
      markedTitle(summary),
    ]);
  const layout = {
    isTerminal: true,
    width: context.streams.stdout.columns() - 1,
    style: plainStyle,
  };
  const shownColumns = isSearch ? searchColumns : columns;
  const shown = isSpoken
    ? spokenRows(titleFirst(shownColumns), rows.map(titleFirst))
    : formatTable(shownColumns, rows, layout);
  const quoted = terms.map((term) => (/^[\w.-]+$/.test(term) ? term : `"${term}"`));
  const command = isSearch ? `search ${quoted.join(' ')}` : 'list --all';
  const more = found.length > maxRows ? `\nnatter conversations ${command} shows all` : '';
  return `${shown}/resume with an id or title continues one${more}`;
}

/** Conversations on disk. Functions throw Failure. @param isSpoken lists are for a screen reader */
export function createReplLibrary(context: Context, isSpoken: boolean, options: JournalOptions) {
  const stored = () => requireDataFolder(options.folder);
  return {
    create: () => createJournal(options),
    /** The id of a conversation, by its id or a prefix of it, its title, or `latest`. Undefined if several match. */
    find(name: string): string | undefined {
      const found = conversationsNamed(stored(), name);
      return found.length === 1 ? found[0].id : undefined;
    },
    resume: (id: string) => resumeJournal({ ...options, folder: stored() }, id),
    /** A copy of a conversation, which may be open elsewhere. */
    branch: (id: string) => branchJournal({ ...options, folder: stored() }, id),
    list: () => createList(context, stored()),
    /** Lines of a list, newest first; a query selects those whose title or text contains it. */
    describe: (query: string, signal: AbortSignal) =>
      describe(context, isSpoken, stored(), query, signal),
    /** For completion. */
    names(): readonly Candidate[] {
      if (options.folder === undefined) return [];
      const found: Listed[] = [];
      for (const row of listed(options.folder)) {
        found.push(row);
        if (found.length === maxRows) break;
      }
      return [
        ...found
          .filter(({ summary }) => summary.title !== '')
          .map(({ entry, summary }) => ({ value: summary.title, summary: entry.id })),
        ...found.map(({ entry, summary }) => ({ value: entry.id, summary: summary.title })),
      ];
    },
  };
}

/** Bytes at the end of a journal that contain its last turns. */
const previewSize = 1 << 18;
const previewTurns = 6;
/** UTF-16 units of a turn in a preview. */
const previewText = 2000;

/** UTF-16 units of an excerpt, and of its part before the hit. */
const excerptLength = 100;
const excerptStart = 12;

/** The results for entries from `from` on, at least one. An entry that cannot be read has none. */
function slice<Result>(
  { clock }: Context,
  entries: readonly LibraryEntry[],
  from: number,
  read: (entry: LibraryEntry) => Result | undefined,
): readonly (Result | undefined)[] {
  const start = clock.monotonic();
  const results: (Result | undefined)[] = [];
  for (let at = from; at < entries.length; at += 1) {
    const entry = entries[at];
    results.push(entry && readable(() => read(entry)));
    if (clock.monotonic() - start >= maxSliceTime) break;
  }
  return results;
}

/** Undefined if the file cannot be read; `natter conversations list` reports it. */
function readable<Result>(read: () => Result | undefined): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

function readListed(
  { clock, process }: Context,
  folder: string,
  entry: LibraryEntry,
): ListedConversation | undefined {
  const { title, firstWords, isAnswered, records, ...summary } = summarize(entry.path);
  if (records === 0) return undefined;
  const model = isAnswered ? summary.model : undefined;
  const lock = lockFile(conversationsFolder(folder), entry.id);
  const isOpenElsewhere = isHeldElsewhere(lock, process, clock.date());
  const filtered = [title, firstWords, model, entry.id].join('\n').toLowerCase();
  return { entry, title, firstWords, model, isOpenElsewhere, filtered };
}

/** The line of the first hit of the first pattern, from shortly before it; undefined if a pattern does not occur. */
function excerptOf({ path }: LibraryEntry, patterns: readonly RegExp[]): string | undefined {
  let found: FoundTurn | undefined;
  for (const pattern of patterns) {
    const [hit] = searchConversation(path, pattern, 0);
    if (hit === undefined) return undefined;
    found ??= hit;
  }
  const line = found?.lines.find(({ marks }) => marks.length > 0);
  if (line === undefined) return undefined;
  const [mark] = line.marks;
  const from = Math.max(0, (mark?.[0] ?? 0) - excerptStart);
  const end = from + excerptLength;
  return `${from === 0 ? '' : '…'}${line.text.slice(from, end)}${end < line.text.length ? '…' : ''}`;
}

const mentions = (prompt: string, name: string) => prompt.split(/\s+/).includes(name);

function previewTurn(turn: Turn): PreviewTurn {
  if (turn.role === 'user') {
    const { prompt, files } = splitPrompt(turn.content);
    const names = files.map(({ name }) => `@${name}`).filter((name) => !mentions(prompt, name));
    return { speaker: 'You', text: [prompt, ...names].join(' ').slice(0, previewText) };
  }
  return { speaker: turn.model ?? 'answer', text: textOf(turn).slice(0, previewText) };
}

function preview({ path, id, size }: LibraryEntry): readonly PreviewTurn[] {
  const { fold } = loadConversation(path, id, Math.max(0, size - previewSize));
  const turns = pathOf(fold.conversation()).filter(({ role }) => role !== 'system');
  return turns.slice(-previewTurns).map(previewTurn);
}

/** Reads the conversations of a list, a part at a time. */
export function createList(context: Context, folder: string) {
  return {
    /** Newest first. @throws Failure */
    entries: () => listEntries(folder),
    /** The entries from `from` on, at least one; undefined for an entry that cannot be read. */
    read: (entries: readonly LibraryEntry[], from: number) =>
      slice(context, entries, from, (entry) => readListed(context, folder, entry)),
    /** For the entries from `from` on, at least one: the text around the first hit; undefined without one. */
    search(entries: readonly LibraryEntry[], from: number, query: string) {
      const options = { regularExpression: false, caseSensitive: false };
      const patterns = searchTerms(query).map((term) => compilePattern(term, options));
      return slice(context, entries, from, (entry) => excerptOf(entry, patterns));
    },
    /** The last turns. */
    preview: (entry: LibraryEntry) => readable(() => preview(entry)) ?? [],
  };
}

export type ReplLibrary = ReturnType<typeof createReplLibrary>;

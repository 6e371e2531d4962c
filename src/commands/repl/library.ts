import { setImmediate as nextTick } from 'node:timers/promises';

import { requireDataFolder } from '../../conversation/library/conversation-folder.ts';
import { conversationsNamed } from '../../conversation/library/find-conversation.ts';
import type { JournalOptions } from '../../conversation/journal/journal-file.ts';
import { listEntries, type LibraryEntry } from '../../conversation/library/library.ts';
import {
  branchJournal,
  createJournal,
  resumeJournal,
} from '../../conversation/journal/open-journal.ts';
import {
  compileTerms,
  occursIn,
  searchConversation,
  type SearchPatterns,
} from '../../conversation/library/search.ts';
import { searchTerms } from '../../conversation/library/search-terms.ts';
import {
  markedTitle,
  summarize,
  type ConversationSummary,
} from '../../conversation/library/read-conversation.ts';
import type { Clock } from '../../clock.ts';
import { Failure } from '../../failure.ts';
import { formatTable, type Column, spokenRows } from '../../output/table.ts';
import { timeAgo } from '../../output/figures.ts';
import type { LibraryPort } from '../../repl/session/ports.ts';
import { plainStyle } from '../../terminal/style.ts';
import type { Context } from '../program/context.ts';

const title: Column = { heading: 'TITLE' };
const facts: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'CHANGED' },
  { heading: 'TURNS', align: 'right', isSpare: true },
];
const columns = [...facts, title];
const searchColumns = [
  ...facts,
  { heading: 'HITS', align: 'right', isSpare: true },
  title,
] as const;

/** Milliseconds of reading after which keys and timers are handled. */
const maxSliceTime = 40;

/** The maximum number of rows in a list, and of candidates. */
const maxRows = 20;

type LibraryContext = Context & { readonly isSpoken: boolean };

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
  /** Of the query, in the text. */
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
  { isSpoken, ...context }: LibraryContext,
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

export function createReplLibrary(context: LibraryContext, options: JournalOptions): LibraryPort {
  return {
    create: () => createJournal(options),
    find(name) {
      const found = conversationsNamed(requireDataFolder(options.folder), name);
      return found.length === 1 ? found[0].id : undefined;
    },
    resume: (id) => resumeJournal({ ...options, folder: requireDataFolder(options.folder) }, id),
    branch: (id) => branchJournal({ ...options, folder: requireDataFolder(options.folder) }, id),
    async list() {
      const { createListPort } = await import('./list-port.ts');
      return createListPort(context, requireDataFolder(options.folder));
    },
    describe: (query, signal) =>
      describe(context, requireDataFolder(options.folder), query, signal),
    names() {
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

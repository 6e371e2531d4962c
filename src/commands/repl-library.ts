import { findConversation } from '../conversation/find-conversation.ts';
import type { JournalOptions } from '../conversation/journal.ts';
import { listEntries, type LibraryEntry } from '../conversation/library.ts';
import { createJournal, resumeJournal } from '../conversation/open-journal.ts';
import { summarize, type ConversationSummary } from '../conversation/summary.ts';
import { Failure } from '../failure.ts';
import { formatTable, type Column } from '../output/table.ts';
import { timeAgo } from '../output/time-ago.ts';
import type { LibraryPort } from '../repl/ports.ts';
import { requireDataFolder } from '../settings/folders.ts';
import { createStyle } from '../terminal/style.ts';
import type { Context } from './context.ts';

type KeptOptions = JournalOptions & { readonly folder: string | undefined };

const columns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'CHANGED' },
  { heading: 'TURNS', align: 'right' },
  { heading: 'TITLE' },
];

/** Rows that are listed, and proposed, at most. */
const mostRows = 20;

interface Listed {
  readonly entry: LibraryEntry;
  readonly summary: ConversationSummary;
}

/** Newest first; files that cannot be read are passed over, `natter conversations list` tells of them. */
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

function describe(context: Context, folder: string, query: string): string {
  const wanted = query.toLowerCase();
  const found: Listed[] = [];
  for (const row of listed(folder)) {
    if (row.summary.title.toLowerCase().includes(wanted)) found.push(row);
    if (found.length > mostRows) break;
  }
  const hint =
    query === '' ? '' : `; natter conversations search "${query}" looks into their texts`;
  if (found.length === 0) return `there is no such conversation${hint}`;
  const now = context.clock.date();
  const rows = found
    .slice(0, mostRows)
    .map(({ entry, summary }) => [
      entry.id,
      timeAgo(entry.changedAt, now),
      String(summary.turns),
      summary.title,
    ]);
  const layout = {
    isTerminal: true,
    width: context.streams.stdout.columns(),
    style: createStyle('none'),
  };
  const more = found.length > mostRows ? '\nnatter conversations list --all shows every one' : '';
  return `${formatTable(columns, rows, layout)}/resume and an id or title goes on with one${more}`;
}

/** The conversations of a REPL. */
export function createReplLibrary(context: Context, options: KeptOptions): LibraryPort {
  return {
    create: () => createJournal(options),
    find: (name) => findConversation(requireDataFolder(options.folder), name).id,
    resume(id) {
      const folder = requireDataFolder(options.folder);
      const resumption = resumeJournal({ ...options, folder }, id);
      if (resumption.isOpen) return resumption.journal;
      throw resumption.refusal;
    },
    describe: async (query) => describe(context, requireDataFolder(options.folder), query),
    names() {
      if (options.folder === undefined) return [];
      const found: Listed[] = [];
      for (const row of listed(options.folder)) {
        found.push(row);
        if (found.length === mostRows) break;
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

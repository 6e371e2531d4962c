import { requireDataFolder, lockFile } from '../../conversation/library/conversation-folder.ts';
import {
  conversationsNamed,
  listConversations,
  listEntries,
  readListed,
  type LibraryEntry,
} from '../../conversation/library/library.ts';
import {
  type JournalOptions,
  branchJournal,
  createJournal,
  resumeJournal,
} from '../../conversation/journal/journal.ts';
import { loadConversation } from '../../conversation/library/read-conversation.ts';
import {
  searchTerms,
  searchConversation,
  compilePatterns,
} from '../../conversation/library/search.ts';
import { Failure } from '../../failure.ts';
import type { Candidate } from '../composer/completion.ts';
import type { Context } from '../../run.ts';
import { pathOf, textOf } from '../../conversation/tree.ts';
import type { ListRow, PreviewTurn } from '../state.ts';
import { isHeldElsewhere } from '../../storage/lock.ts';
import { errorCode } from '../../storage/storage-failure.ts';
import { promptWithNames } from './sent-prompt.ts';

/** Milliseconds of reading after which keys and timers are handled. */
const maxSliceTime = 25;

const maxCandidates = 20;

/** Conversations on disk. Functions throw Failure. */
export function createReplLibrary(context: Context, options: JournalOptions) {
  const stored = () => requireDataFolder(options.folder);
  return {
    create: () => createJournal(options),
    /** The id of a conversation, by its id or a prefix of it, its title, or `latest`. Undefined if several match. */
    find(name: string): string | undefined {
      const found = conversationsNamed(stored(), name);
      return found.length === 1 ? found[0].id : undefined;
    },
    resume: (id: string) => resumeJournal(options, id),
    /** A copy of a conversation, which may be open elsewhere. */
    branch: (id: string) => branchJournal(options, id),
    async read(): Promise<readonly ListRow[]> {
      const folder = stored();
      return (await listConversations(folder)).map((conversation) => {
        const { id, title, firstWords, isAnswered } = conversation;
        const model = isAnswered ? conversation.model : undefined;
        const isOpenElsewhere = isHeldElsewhere(lockFile(folder, id), context.process);
        const filtered = [title, firstWords, model, id].join('\n').toLowerCase();
        return { ...conversation, model, isOpenElsewhere, filtered };
      });
    },
    /** Searches the entries from `from` on, at least one. Each gets the text around its first hit, or undefined. */
    search(entries: readonly LibraryEntry[], from: number, query: string) {
      const patterns = compilePatterns(searchTerms(query));
      const start = context.clock.monotonic();
      const excerpts: (string | undefined)[] = [];
      for (const entry of entries.slice(from)) {
        excerpts.push(readable(() => excerptOf(entry, patterns)));
        if (context.clock.monotonic() - start >= maxSliceTime) break;
      }
      return excerpts;
    },
    preview: (entry: LibraryEntry) => readable(() => preview(entry)) ?? [],
    /** The words that completion offers: the newest titles, then ids. */
    names(): readonly Candidate[] {
      if (options.folder === undefined) return [];
      const found = [...readListed(listEntries(options.folder).slice(0, maxCandidates))];
      const titled = found.filter(({ title }) => title !== '');
      return [
        ...titled.map(({ id, title }) => ({ value: title, summary: id })),
        ...found.map(({ id, title }) => ({ value: id, summary: title })),
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

/** Undefined if the file cannot be read; `natter conversations list` reports it. */
function readable<Result>(read: () => Result | undefined): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Failure || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** The line of the first hit, from shortly before it; undefined unless all terms occur. */
function excerptOf({ path }: LibraryEntry, terms: readonly RegExp[]): string | undefined {
  const [found] = searchConversation(path, terms, 0);
  const line = found?.lines.find(({ marks }) => marks.length > 0);
  if (line === undefined) return undefined;
  const [mark] = line.marks;
  const from = Math.max(0, (mark?.[0] ?? 0) - excerptStart);
  const end = from + excerptLength;
  return `${from === 0 ? '' : '…'}${line.text.slice(from, end)}${end < line.text.length ? '…' : ''}`;
}

function preview({ path, id, size }: LibraryEntry): readonly PreviewTurn[] {
  const { fold } = loadConversation(path, id, Math.max(0, size - previewSize));
  const turns = pathOf(fold.conversation()).filter(({ role }) => role !== 'system');
  return turns.slice(-previewTurns).map((turn) => {
    if (turn.role === 'user')
      return { speaker: 'You', text: promptWithNames(turn.content, previewText) };
    return { speaker: turn.model ?? 'answer', text: textOf(turn).slice(0, previewText) };
  });
}

export type ReplLibrary = ReturnType<typeof createReplLibrary>;

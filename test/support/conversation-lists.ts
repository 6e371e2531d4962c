import type { LibraryEntry } from '../../src/conversation/library/library.ts';
import { newList } from '../../src/repl/conversation-list/list.ts';
import type { ReplLibrary } from '../../src/repl/conversations/library.ts';
import type { ListedConversation, OpenList } from '../../src/repl/state.ts';

const hour = 3_600_000;
const openedAt = new Date('2026-11-20T12:00:00Z');

/** A conversation of the list, changed so many hours ago. */
export function listedConversation(
  facts: Partial<ListedConversation> & { readonly hours?: number; readonly id?: string } = {},
): ListedConversation {
  const { title = 'Tea', firstWords = title, model = 'origin', id = 'abcd2345', hours = 1 } = facts;
  const entry: LibraryEntry = {
    id,
    path: `/${id}.jsonl`,
    changedAt: new Date(openedAt.getTime() - hours * hour),
    size: 100,
  };
  const filtered = [title, firstWords, model, facts.entry?.id ?? id].join('\n').toLowerCase();
  return { entry, title, firstWords, model, isOpenElsewhere: false, filtered, ...facts };
}

const listEntry = (id: string) => ({
  id,
  path: `/${id}.jsonl`,
  changedAt: new Date('2026-11-20T12:00:00Z'),
  size: 100,
});

/** Two conversations, of which one is read at a time. */
export const storedList: ReturnType<ReplLibrary['list']> = {
  entries: async () => ['abcd2345', 'wxyz6789'].map(listEntry),
  read(entries, from) {
    const [entry = listEntry('none')] = entries.slice(from);
    return [listedConversation({ entry, title: `about ${entry.id}` })];
  },
  search: () => [undefined],
  preview: ({ id }) => [{ speaker: 'You', text: `the prompt of ${id}` }],
};

/** An open list of these conversations, all read unless changed. */
export function listOf(
  rows: readonly ListedConversation[],
  changes: Partial<OpenList> = {},
): OpenList {
  const entries = rows.map(({ entry }) => entry);
  return { ...newList({ options: {}, openedAt, entries, rows }), ...changes };
}

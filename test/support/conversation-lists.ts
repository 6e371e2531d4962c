import type { ReplLibrary } from '../../src/repl/conversations/library.ts';
import type { ListRow, OpenList } from '../../src/repl/state.ts';

const hour = 3_600_000;
const openedAt = new Date('2026-11-20T12:00:00Z');

/** A conversation of the list, changed so many hours ago. */
export function listedConversation(
  facts: Partial<ListRow> & { readonly hours?: number } = {},
): ListRow {
  const { title = 'Tea', firstWords = title, model = 'origin', id = 'abcd2345', hours = 1 } = facts;
  return {
    id,
    path: `/${id}.jsonl`,
    changedAt: new Date(openedAt.getTime() - hours * hour),
    size: 100,
    title,
    firstWords,
    turns: 2,
    tokens: undefined,
    model,
    isAnswered: true,
    createdAt: openedAt,
    marks: [],
    records: 4,
    isOpenElsewhere: false,
    filtered: [title, firstWords, model, id].join('\n').toLowerCase(),
    ...facts,
  };
}

/** Two conversations. */
export const storedList: Pick<ReplLibrary, 'read' | 'search' | 'preview'> = {
  read: async () =>
    ['abcd2345', 'wxyz6789'].map((id) => listedConversation({ id, title: `about ${id}` })),
  search: () => [undefined],
  preview: ({ id }) => [{ speaker: 'You', text: `the prompt of ${id}` }],
};

/** An open list of these conversations. */
export function listOf(rows: readonly ListRow[], changes: Partial<OpenList> = {}): OpenList {
  const found = { rows, excerpts: [], selected: 0, isReading: false, preview: undefined };
  return { options: {}, openedAt, query: '', searchesTexts: false, ...found, ...changes };
}

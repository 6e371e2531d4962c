import { listEntries, type LibrarySection } from '../../conversation/library/library.ts';
import { summarize } from '../../conversation/library/read-conversation.ts';
import type { Candidate } from './tree.ts';
import type { Context } from '../program/context.ts';
import { dataFolder } from '../journal/library-access.ts';

/** Each of them is read for its title. */
const mostConversations = 30;

/** Those whose ids begin as typed, the newest first; none where there is no conversation at all. */
export function conversationCandidates(
  context: Context,
  typed: string,
  section: LibrarySection,
): readonly Candidate[] {
  const entries = listEntries(dataFolder(context), section).filter(({ id }) =>
    id.startsWith(typed),
  );
  const found = entries.slice(0, mostConversations).map(({ id, path }) => ({
    value: id,
    description: summarize(path).title,
  }));
  return entries.length === 0
    ? []
    : [{ value: 'latest', description: 'most recent conversation' }, ...found];
}

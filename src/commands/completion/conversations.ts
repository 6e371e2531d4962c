import { listEntries, type LibrarySection } from '../../conversation/library/library.ts';
import { summarize } from '../../conversation/library/read-conversation.ts';
import type { Candidate } from './tree.ts';
import type { FolderFacts } from '../../settings/folders.ts';
import { dataFolder } from '../journal/library-access.ts';

/** Each conversation is read for its title. */
const maxConversations = 30;

/** The conversations whose ids start with the typed text, newest first, after `latest`. */
export function conversationCandidates(
  context: FolderFacts,
  typed: string,
  section: LibrarySection,
): readonly Candidate[] {
  const entries = listEntries(dataFolder(context), section).filter(({ id }) =>
    id.startsWith(typed),
  );
  const found = entries.slice(0, maxConversations).map(({ id, path }) => ({
    value: id,
    description: summarize(path).title,
  }));
  return entries.length === 0
    ? []
    : [{ value: 'latest', description: 'most recent conversation' }, ...found];
}

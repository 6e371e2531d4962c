import { requireDataFolder } from '../../conversation/library/conversation-folder.ts';
import {
  loadConversation,
  lostLinesWarning,
} from '../../conversation/library/read-conversation.ts';
import { findConversation } from '../../conversation/library/find-conversation.ts';
import type { Conversation } from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { resolveFolders, type FolderFacts } from '../../settings/folders.ts';

/** @throws Failure `storage` if the home folder is unknown */
export function dataFolder(facts: FolderFacts): string {
  return requireDataFolder(resolveFolders(facts).data);
}

/** Finds and reads a conversation as far as possible; warns about lost lines. @throws Failure */
export function readConversation(facts: FolderFacts, notices: Notices, name: string): Conversation {
  const { id, path } = findConversation(dataFolder(facts), name);
  const { fold, lostLines, records } = loadConversation(path, id);
  if (records === 0) {
    throw new Failure('storage', `conversation ${id} has no readable records`, {
      hint: `its file is ${path}`,
    });
  }
  const warning = lostLinesWarning(id, lostLines);
  if (warning !== undefined) notices.warning(warning);
  return fold.conversation();
}

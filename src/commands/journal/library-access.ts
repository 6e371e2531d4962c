import { requireDataFolder } from '../../conversation/library/conversation-folder.ts';
import {
  loadConversation,
  lostLinesWarning,
} from '../../conversation/library/read-conversation.ts';
import { findConversation } from '../../conversation/library/find-conversation.ts';
import type { Conversation } from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import type { Notices } from '../../output/notices.ts';
import { resolveFolders } from '../../settings/folders.ts';
import type { Context } from '../program/context.ts';

/** @throws Failure `storage` where the home folder is unknown */
export function dataFolder(context: Context): string {
  return requireDataFolder(resolveFolders(context).data);
}

/** Finds and reads a conversation as far as possible; warns about lost lines. @throws Failure */
export function readConversation(context: Context, notices: Notices, name: string): Conversation {
  const { id, path } = findConversation(dataFolder(context), name);
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

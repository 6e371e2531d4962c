import { requireDataFolder } from '../../conversation/library/conversation-folder.ts';
import { findConversation } from '../../conversation/library/find-conversation.ts';
import type { Session } from '../../repl/session/session.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { ChatOptions } from '../chat/run.ts';
import { isExplicitlySet, type JournalAccess } from '../journal/open-conversation.ts';
import type { Context } from '../program/context.ts';

/** @throws Failure `not_found` if there is no conversation to list */
export function refuseEmptyLibrary({ journal }: JournalAccess): undefined {
  findConversation(requireDataFolder(journal.folder), 'latest');
}

interface ListRequest {
  readonly context: Pick<Context, 'clock'>;
  readonly options: ChatOptions;
  readonly settings: ResolvedSettings;
}

/** Opens the list; the chosen conversation replaces the settings that the command line does not name. */
export function requestList({ context, options, settings }: ListRequest, session: Session): void {
  const { model, system } = settings.values;
  const keepsModel = isExplicitlySet(settings, 'model') || model === 'auto';
  const kept = {
    ...(keepsModel && { model }),
    ...(isExplicitlySet(settings, 'system') && { system }),
  };
  const chosen = { settings: kept, isBranch: options.branch === true };
  session.dispatch({ type: 'list-requested', options: chosen, now: context.clock.monotonic() });
}

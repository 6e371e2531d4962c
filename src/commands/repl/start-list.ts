import { requireDataFolder } from '../../conversation/library/conversation-folder.ts';
import { conversationsNamed } from '../../conversation/library/find-conversation.ts';
import type { Session } from '../../repl/session/session.ts';
import type { Dialog } from '../../repl/state/dialog.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { ChatOptions } from '../chat/chat-run.ts';
import { isExplicitlySet, type JournalAccess } from '../journal/open-conversation.ts';
import type { Context } from '../program/context.ts';

/** The first filter of the list; undefined if only one conversation has that name. @throws Failure `not_found` */
export function listFilter({ journal }: JournalAccess, resume: string | true): string | undefined {
  const folder = requireDataFolder(journal.folder);
  const found = conversationsNamed(folder, resume === true ? 'latest' : resume);
  if (resume === true) return '';
  return found.length > 1 ? resume : undefined;
}

interface ListRequest {
  readonly context: Context;
  readonly options: ChatOptions;
  readonly settings: ResolvedSettings;
  readonly filter: string;
  /** Opens when the list is closed, or a conversation is chosen. */
  readonly dialog: Dialog | undefined;
}

/** Opens the list; the chosen conversation replaces the settings that the command line does not name. */
export function requestList(
  { context, options, settings, filter: query, dialog }: ListRequest,
  session: Session,
): void {
  const { model, system, role } = settings.values;
  const { sources, params } = settings;
  const keepsModel = isExplicitlySet(settings, 'model') || model === 'auto';
  const kept = {
    ...(keepsModel && { model }),
    ...(isExplicitlySet(settings, 'system') && {
      system,
      role: sources.system === sources.role ? role : undefined,
    }),
    parameters: Object.keys(params).filter((name) => params[name]?.source.kind === 'flag'),
  };
  const chosen = { settings: kept, isBranch: options.branch === true };
  const now = context.clock.monotonic();
  session.dispatch({ type: 'list-requested', options: chosen, query, dialog, now });
}

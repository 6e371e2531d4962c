import { systemOf, type Conversation } from '../../conversation/tree.ts';
import type { SessionSettings } from '../../repl/state/effect.ts';
import type { ReplState } from '../../repl/state/state.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { isExplicitlySet } from '../journal/open-conversation.ts';
import { resumedChanges } from '../service/changed-params.ts';

/** As the ledger names the request in progress. */
export function commandOf(state: ReplState | undefined): 'repl' | 'compact' {
  const { activity } = state ?? {};
  return activity?.type === 'answer' && activity.isSummary === true ? 'compact' : 'repl';
}

/** The settings of the first prompt: those of a resumed conversation, unless this run sets them. */
export function sessionSettings(
  settings: ResolvedSettings,
  conversation: Conversation,
): SessionSettings {
  const { model, maxTokens, system: configured, theme, wrap } = settings.values;
  const recorded = systemOf(conversation);
  const isConfigured = isExplicitlySet(settings, 'system') || recorded === undefined;
  const isRole = isConfigured && settings.sources.system === settings.sources.role;
  return {
    model,
    maxTokens,
    system: isConfigured ? configured : recorded,
    role: isRole ? settings.values.role : undefined,
    parameters: resumedChanges(settings.params, conversation.parameters),
    theme,
    wrap,
  };
}

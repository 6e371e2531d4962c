import type { Message } from '../../client/contract.ts';
import { contextParts } from '../../conversation/context-parts.ts';
import { contextWindow } from '../../conversation/context-fit.ts';
import { estimateTokens } from '../../conversation/token-estimate.ts';
import { pathOf, summarizedTurns, summaryOf } from '../../conversation/tree.ts';
import { runTask, type SessionCore } from '../session/session-core.ts';
import { failureEntry, notice, type Entry } from '../state/entry.ts';
import { conversationOf, messagesFor, promptsOf } from '../state/position.ts';
import type { ReplState } from '../state/state.ts';
import { contextText, type ContextFigures } from '../text/context-text.ts';

/** Of the next request, without its prompt. */
function nextMessages(state: ReplState): readonly Message[] {
  const messages = messagesFor(conversationOf(state)).filter(({ role }) => role !== 'system');
  const { system = '' } = state.settings;
  return system.trim() === '' ? messages : [{ role: 'system', content: system }, ...messages];
}

function figuresOf(state: ReplState): ContextFigures {
  const { settings, service, context, attachments } = state;
  const conversation = conversationOf(state);
  const parts = contextParts(conversation, nextMessages(state));
  const path = pathOf(conversation);
  const summarized = summarizedTurns(conversation);
  return {
    model: settings.model,
    window: contextWindow(settings.model, service.windows),
    used: context.tokens,
    isEstimate: context.isEstimate,
    maxTokens: settings.maxTokens,
    parts,
    attached: {
      files: attachments.length,
      tokens: attachments.reduce((sum, { content }) => sum + estimateTokens(content), 0),
    },
    prompts: promptsOf(path.slice(summarized)).length,
    summarized: promptsOf(path.slice(0, summarized)).length,
    id: conversation.id,
  };
}

function summaryEntry(state: ReplState): Entry {
  const summary = summaryOf(conversationOf(state));
  if (summary === undefined) {
    return failureEntry('there is no summary', '/compact asks for one');
  }
  return { type: 'answer', text: summary.content, model: 'summary' };
}

export function runShowContext(core: SessionCore, shows: 'window' | 'summary'): Promise<void> {
  return runTask(core, async () => {
    const state = core.state();
    const name = state.settings.role;
    const role = name === undefined ? undefined : core.ports.clean(name);
    const isSummary = shows === 'summary';
    return [
      isSummary ? summaryEntry(state) : notice(contextText({ ...figuresOf(state), role }, state)),
    ];
  });
}

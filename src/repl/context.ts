import type { Message } from '../client/contract.ts';
import { cleanLine } from '../secrets/secrets.ts';
import { contextWindow } from '../conversation/context-fit.ts';
import { contextParts } from '../conversation/compaction.ts';
import { estimateTokens } from '../conversation/token-estimate.ts';
import { pathOf, summarizedTurns, summaryOf } from '../conversation/tree.ts';
import { promptsOf, conversationOf, messagesFor } from './conversations/position.ts';
import { notice, type Entry, failureEntry } from './entry.ts';
import { runActivity, type Session } from './session.ts';
import type { SlashCommand } from './slash-command.ts';
import type { ReplState, Step } from './state.ts';
import { refuse, startActivity, task } from './step.ts';
import { contextText, type ContextFigures } from './text/context-text.ts';

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

export function describeContext(
  session: Session,
  { shows }: { readonly shows: 'window' | 'summary' },
): Promise<void> {
  return runActivity(session, async () => {
    const state = session.state();
    const name = state.settings.role;
    const role = name === undefined ? undefined : cleanLine(session.context, name);
    const isSummary = shows === 'summary';
    return [
      isSummary ? summaryEntry(state) : notice(contextText({ ...figuresOf(state), role }, state)),
    ];
  });
}

/** What the window holds, drawn. */
function showContext(state: ReplState, argument: string): Step {
  if (argument !== '' && argument !== 'summary') {
    return refuse(state, '/context takes only the word summary', '/context summary');
  }
  const shows = argument === '' ? 'window' : 'summary';
  return startActivity(state, 'measuring the window', task(describeContext, { shows }));
}

export const contextCommand: SlashCommand = {
  name: 'context',
  argument: '[summary]',
  summary: "show what fills the model's window, or the summary",
  group: 'conversations',
  example: '/context summary',
  run: showContext,
};

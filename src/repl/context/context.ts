import { contextWindow } from '../../conversation/context-fit.ts';
import { contextParts } from '../../conversation/compaction.ts';
import { estimateTokens } from '../../conversation/token-estimate.ts';
import { pathOf, summarizedTurns, summaryOf, type Turn } from '../../conversation/tree.ts';
import { promptsOf, conversationOf, messagesFor } from '../conversations/position.ts';
import type { SlashCommand } from '../slash-command.ts';
import type { ReplState, Update } from '../state.ts';
import { printing, refuse, showNow, step } from '../step.ts';
import { cachedText, count, countOf, percent, tokenText } from '../../output/figures.ts';
import { bar, type Column, formatTable } from '../../output/table.ts';
import { plainStyle } from '../../terminal/style.ts';

function showContext(state: ReplState, argument: string): Update {
  if (argument === '') {
    const { answers, estimated, promptTokens, cachedTokens, completionTokens } = state.usage;
    const estimates = estimated === 0 ? '' : `, ${estimated} of them estimated`;
    const tokens = `${tokenText(promptTokens)} in${cachedText(cachedTokens)}, ${count(completionTokens)} out`;
    const usage = `${countOf(answers, 'answer')} in this session${estimates}: ${tokens}`;
    return showNow(state, `${contextText(state)}\n${usage}`);
  }
  if (argument !== 'summary') {
    return refuse(state, '/context takes only the word summary', '/context summary');
  }
  const summary = summaryOf(conversationOf(state));
  return summary === undefined
    ? refuse(state, 'there is no summary', '/compact asks for one')
    : step(state, printing({ type: 'answer', text: summary.content, model: 'summary' }));
}

export const contextCommand: SlashCommand = {
  name: 'context',
  argument: '[summary]',
  summary: "show what fills the model's window, and the tokens used",
  isImmediate: true,
  showsNow: true,
  example: '/context summary',
  run: showContext,
};

/** What fills the window, which may be unknown, in estimated tokens. The turns share those that the service counted. */
function partsOf(state: ReplState, window: number | undefined) {
  const { settings, context, attachments } = state;
  const { role, maxTokens = 0 } = settings;
  const conversation = conversationOf(state);
  const path = pathOf(conversation);
  const summarized = summarizedTurns(conversation);
  // The messages of the next request, without its prompt.
  const next = messagesFor(conversation, [{ role: 'system', content: settings.system ?? '' }]);
  const { system, summary, files, turns, names } = contextParts(conversation, next);
  const estimate = system + summary + files + turns;
  const share = (tokens: number) =>
    estimate === 0 ? tokens : Math.round((tokens * context.tokens) / estimate);
  const attached = attachments.reduce((sum, { content }) => sum + estimateTokens(content), 0);
  const left = Math.max(0, (window ?? 0) - context.tokens - attached);
  const answer = Math.min(left, maxTokens);
  const prompts = (part: readonly Turn[]) => countOf(promptsOf(part).length, 'prompt');
  const ofNext = `${countOf(attachments.length, 'file')} of the next prompt`;
  const free = maxTokens === 0 ? 'including room for the answer' : '';
  const parts = [
    { name: 'system prompt', tokens: share(system), note: role && `role ${role}` },
    { name: 'summary', tokens: share(summary), note: `of ${prompts(path.slice(0, summarized))}` },
    { name: 'files', tokens: share(files), note: countOf(names.length, 'file') },
    { name: 'turns', tokens: share(turns), note: prompts(path.slice(summarized)), isShown: true },
    { name: 'attached', tokens: attached, note: ofNext },
    { name: 'answer room', tokens: answer },
    { name: 'free', tokens: left - answer, note: free, isShown: window !== undefined },
  ];
  return parts.filter(({ tokens, isShown = false }) => tokens > 0 || isShown);
}

function headText({ settings: { model }, context }: ReplState, window: number | undefined): string {
  const { tokens, isEstimate } = context;
  const used = `${isEstimate ? '~' : ''}${count(tokens)}`;
  return window === undefined
    ? `the conversation has ${tokenText(tokens, isEstimate)}; the window of ${model} is not known`
    : `${percent(tokens, window)} of the window of ${model}: ${used} of ${tokenText(window)}`;
}

const barColumns = 16;

const columnsOfParts: readonly Column[] = [
  { heading: 'part' },
  { heading: '', isSpare: true },
  { heading: 'tokens', align: 'right' },
  { heading: 'share', align: 'right' },
  { heading: '', isSpare: true },
];

/** A table with a row for each part; in line mode, sentences. */
function contextText(state: ReplState): string {
  const { settings, service, isLineMode, columns, unicode } = state;
  const window = contextWindow(settings.model, service.windows);
  const parts = partsOf(state, window);
  const conversation = conversationOf(state);
  const lines = isLineMode
    ? parts.map(({ name, tokens, note = '' }) => {
        const text = `${name}: about ${tokenText(tokens)}`;
        return note === '' ? text : `${text}, ${note}`;
      })
    : [
        formatTable(
          columnsOfParts,
          parts.map(({ name, tokens, note = '' }) => {
            const drawn = window === undefined ? '' : bar(tokens, window, barColumns, unicode);
            const share = window === undefined ? '' : percent(tokens, window);
            return [name, drawn, `~${count(tokens)}`, share, note];
          }),
          { isTerminal: true, width: columns - 1, style: plainStyle },
        ).trimEnd(),
      ];
  const originals = `/context summary shows the summary; natter conversations show ${conversation.id} shows the turns that it replaces`;
  const hasSummary = summarizedTurns(conversation) > 0;
  return [headText(state, window), ...lines, ...(hasSummary ? [originals] : [])].join('\n');
}

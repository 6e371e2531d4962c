import { startTask, step } from '../reducer/step.ts';
import type { SlashCommand } from './slash-command.ts';

export const conversationCommands: readonly SlashCommand[] = [
  {
    name: 'new',
    argument: '',
    summary: 'begin a new conversation',
    completes: 'none',
    run: (state) => startTask(state, 'opening a conversation', { type: 'new-conversation' }),
  },
  {
    name: 'resume',
    argument: '[name]',
    summary: 'go on with the latest conversation, or the named one',
    completes: 'conversations',
    run: (state, argument) =>
      startTask(state, 'opening a conversation', { type: 'resume', name: argument || 'latest' }),
  },
  {
    name: 'conversations',
    argument: '[text]',
    summary: 'list conversations, or those whose title or text holds a text',
    completes: 'none',
    run: (state, argument) =>
      startTask(state, 'reading conversations', { type: 'list-conversations', query: argument }),
  },
  {
    name: 'rename',
    argument: '<title>',
    summary: 'give this conversation a title',
    completes: 'none',
    run: (state, argument) => step(state, { type: 'rename', title: argument }),
  },
];

import { titleOf } from '../../conversation/tree.ts';
import { say, startTask, step, type Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';
import type { SlashCommand } from './slash-command.ts';

function rename(state: ReplState, title: string): Step {
  if (title !== '') return step(state, { type: 'rename', title });
  const present = titleOf(state.conversation);
  return present === ''
    ? say(state, 'this conversation has no title yet; /rename on tea gives it one')
    : say(state, `this conversation is called ${present}`);
}

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
    summary: 'list conversations, or those that hold a text',
    completes: 'none',
    run: (state, argument) =>
      startTask(state, 'reading conversations', { type: 'list-conversations', query: argument }),
  },
  {
    name: 'rename',
    argument: '[title]',
    summary: 'show the title of this conversation, or give it one',
    completes: 'none',
    run: rename,
  },
];

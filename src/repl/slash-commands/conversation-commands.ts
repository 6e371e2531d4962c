import { titleOf } from '../../conversation/tree.ts';
import { printNotice, startTask, step, type Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';
import type { SlashCommand } from './slash-command.ts';

function rename(state: ReplState, title: string): Step {
  if (title !== '') return step(state, { type: 'rename', title });
  const present = titleOf(state.conversation);
  return present === ''
    ? printNotice(state, 'this conversation has no title yet; /rename on tea sets one')
    : printNotice(state, `the title is ${present}`);
}

export const conversationCommands: readonly SlashCommand[] = [
  {
    name: 'new',
    argument: '',
    summary: 'start a new conversation',
    completes: 'none',
    run: (state) => startTask(state, 'opening a conversation', { type: 'new-conversation' }),
  },
  {
    name: 'resume',
    argument: '[name]',
    summary: 'open the latest conversation, or the named one',
    completes: 'conversations',
    run: (state, argument) =>
      startTask(state, 'opening a conversation', { type: 'resume', name: argument || 'latest' }),
  },
  {
    name: 'conversations',
    argument: '[text]',
    summary: 'list conversations, or only those that contain a text',
    completes: 'none',
    run: (state, argument) =>
      startTask(state, 'reading conversations', { type: 'list-conversations', query: argument }),
  },
  {
    name: 'rename',
    argument: '[title]',
    summary: 'show or set the title of this conversation',
    completes: 'none',
    run: rename,
  },
];

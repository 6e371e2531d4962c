import { leave, refuse, printNotice, startTask, step, type Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';
import { usageText } from '../text/status-text.ts';
import type { SlashCommand } from './slash-command.ts';

function attach(state: ReplState, argument: string): Step {
  if (argument === 'none')
    return printNotice({ ...state, attachments: [] }, 'no files are attached');
  if (argument !== '') {
    const path = argument.replace(/^"(.*)"$/, '$1');
    return startTask(state, 'reading a file', { type: 'attach', path });
  }
  const names = state.attachments.map(({ name }) => name);
  return names.length === 0
    ? refuse(state, '/attach needs a file', '/attach notes.md, or @notes.md in a prompt')
    : printNotice(state, `attached: ${names.join(', ')}; /attach none removes them`);
}

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: 'attach',
    argument: '<path>',
    summary: 'attach a text file to the next prompt',
    completes: 'files',
    run: attach,
  },
  {
    name: 'usage',
    argument: '',
    summary: 'show the tokens of this session',
    completes: 'none',
    run: (state) => printNotice(state, usageText(state)),
  },
  {
    name: 'clear',
    isSilent: true,
    argument: '',
    summary: 'clear the window; its text stays in the scrollback',
    completes: 'none',
    isOfScreen: true,
    run: (state) => step(state, { type: 'scroll-away' }),
  },
  {
    name: 'redraw',
    isSilent: true,
    argument: '',
    summary: 'redraw the composer',
    completes: 'none',
    isImmediate: true,
    isOfScreen: true,
    run: (state) => step(state, { type: 'redraw' }),
  },
  {
    name: 'quit',
    isSilent: true,
    argument: '',
    summary: 'leave natter',
    completes: 'none',
    isImmediate: true,
    run: leave,
  },
];

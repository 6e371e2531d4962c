import type { Definitions } from './setting-values.ts';
import { duration, oneOf, trueOrFalse } from './value-types.ts';

type ConversationKey =
  | 'shellCommands'
  | 'compact'
  | 'editing'
  | 'theme'
  | 'wrap'
  | 'notify'
  | 'notifyAfter'
  | 'progress'
  | 'windowTitle';

/** The settings of conversations and of answers on a terminal. */
export const conversationDefinitions: Pick<Definitions, ConversationKey> = {
  shellCommands: {
    name: 'shell-commands',
    variable: 'NATTER_SHELL_COMMANDS',
    type: trueOrFalse,
    default: true,
    summary: 'Run lines of a conversation that start with ! in the shell',
  },
  compact: {
    name: 'compact',
    variable: 'NATTER_COMPACT',
    type: oneOf('off', 'auto'),
    default: 'off',
    summary: 'Summarize older turns of a conversation at 80% of the window: off or auto',
  },
  editing: {
    name: 'editing',
    variable: 'NATTER_EDITING',
    type: oneOf('emacs', 'vi'),
    default: 'emacs',
    summary: 'Keys that edit a prompt of a conversation, except in line mode: emacs or vi',
  },
  theme: {
    name: 'theme',
    variable: 'NATTER_THEME',
    type: oneOf('color', 'light', 'dark', 'mono', 'plain'),
    default: 'color',
    summary: 'Colours of an answer on a terminal: color, light, dark, mono or plain',
  },
  wrap: {
    name: 'wrap',
    variable: 'NATTER_WRAP',
    type: oneOf('words', 'none'),
    default: 'words',
    summary: 'Where rows of an answer end on a terminal: words, or none to let the terminal wrap',
  },
  notify: {
    name: 'notify',
    variable: 'NATTER_NOTIFY',
    type: oneOf('auto', 'bell', 'osc9', 'osc777', 'off'),
    default: 'auto',
    summary: 'Report a long answer while the window has no focus: auto, bell, osc9, osc777 or off',
  },
  notifyAfter: {
    name: 'notify-after',
    variable: 'NATTER_NOTIFY_AFTER',
    type: duration,
    default: 10_000,
    summary: 'How long an answer must take to be reported (notify)',
  },
  progress: {
    name: 'progress',
    variable: 'NATTER_PROGRESS',
    type: oneOf('auto', 'on', 'off'),
    default: 'auto',
    summary: 'Progress in the tab or taskbar (OSC 9;4); auto: in terminals known to show it',
  },
  windowTitle: {
    name: 'window-title',
    variable: 'NATTER_WINDOW_TITLE',
    type: oneOf('auto', 'on', 'off'),
    default: 'auto',
    summary: 'State in the title of the window; auto: in terminals that can restore the old title',
  },
};

import { catalogue } from '../../client/contract.ts';
import { titleOf } from '../../conversation/tree.ts';
import { nearlyNamed } from '../../near-name.ts';
import { tokenText } from '../../output/figures.ts';
import { notice } from '../state/entry.ts';
import { compact, showContext } from '../reducer/compacting.ts';
import {
  andThen,
  quit,
  printing,
  printNotice,
  refuse,
  startTask,
  step,
  type Step,
  openList,
} from '../reducer/step.ts';
import type { SessionSettings } from '../state/effect.ts';
import type { ReplState } from '../state/state.ts';
import { usageText } from '../text/status-text.ts';
import { displayCommands } from './display-commands.ts';
import { offWords, unquoted, type SlashCommand } from './slash-command.ts';

function rename(state: ReplState, title: string): Step {
  if (title !== '') return step(state, { type: 'rename', title });
  const current = titleOf(state.conversation);
  return current === ''
    ? printNotice(state, 'this conversation has no title yet; /rename TITLE sets one')
    : printNotice(state, `the title is ${current}`);
}

/** Elsewhere, `/clear` begins a new conversation. */
function clearWindow(state: ReplState): Step {
  const cleared = step(state, { type: 'scroll-away' });
  if (state.conversation.turns.size === 0) return cleared;
  return andThen(cleared, (next) =>
    printNotice(next, 'the conversation continues; /new starts a new one'),
  );
}

function withSettings(state: ReplState, changes: Partial<SessionSettings>): ReplState {
  return { ...state, settings: { ...state.settings, ...changes } };
}

function setModel(state: ReplState, model: string): Step {
  const { settings, knownModels } = state;
  const known = new Set([...knownModels, ...catalogue.map(({ id }) => id), 'auto']);
  if (model === '') {
    const list = [...known].join(', ');
    return printNotice(state, `the model is ${settings.model}; known models: ${list}`);
  }
  if (/\s/.test(model))
    return refuse(state, 'a model id cannot contain spaces', '/models lists them');
  const next = { ...withSettings(state, { model }), hasOfferedModel: false };
  const near = nearlyNamed(model, known);
  const help =
    near === undefined ? '/models lists the available models' : `did you mean /model ${near}?`;
  const warning = known.has(model) ? '' : `; natter does not know it, ${help}`;
  const shown = printing(notice(`the model is now ${model}${warning}`));
  // Without turns there is nothing to resume.
  const isEmpty = state.conversation.turns.size === 0;
  return isEmpty ? step(next, shown) : step(next, { type: 'record-model', model }, shown);
}

const limitText = (tokens: number | undefined) =>
  tokens === undefined
    ? 'natter sets no token limit for answers'
    : `answers are limited to ${tokenText(tokens)}`;

function setMaxTokens(state: ReplState, argument: string): Step {
  if (argument === '') return printNotice(state, limitText(state.settings.maxTokens));
  const maxTokens = offWords.has(argument) ? undefined : Number(argument);
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens >= 1)) {
    return refuse(
      state,
      '/max-tokens needs a whole number of at least 1',
      '/max-tokens 500, or /max-tokens off',
    );
  }
  return printNotice(withSettings(state, { maxTokens }), limitText(maxTokens));
}

function attach(state: ReplState, argument: string): Step {
  if (argument === 'none')
    return printNotice({ ...state, attachments: [] }, 'no files are attached');
  if (argument !== '') {
    return startTask(state, 'reading a file', { type: 'attach', path: unquoted(argument) });
  }
  const names = state.attachments.map(({ name }) => name);
  return names.length === 0
    ? refuse(state, '/attach needs a file', '/attach notes.md, or @notes.md in a prompt')
    : printNotice(state, `attached: ${names.join(', ')}; /attach none removes them`);
}

/** What is attached belongs to the conversation that ends. */
function startConversation(state: ReplState): Step {
  const names = state.attachments.map(({ name }) => name);
  const next = { ...state, attachments: [] };
  const removed =
    names.length === 0 ? step(next) : printNotice(next, `no longer attached: ${names.join(', ')}`);
  return andThen(removed, (without) =>
    startTask(without, 'opening a conversation', { type: 'new-conversation' }),
  );
}

export const sessionCommands: readonly SlashCommand[] = [
  {
    name: 'new',
    surplusHint: '/new starts a conversation; then /rename TITLE sets its title',
    summary: 'start a new conversation',
    group: 'conversations',
    run: startConversation,
  },
  {
    name: 'resume',
    argument: '[name]',
    summary: 'open the named conversation, or one from a list',
    group: 'conversations',
    example: '/resume tea',
    completes: 'conversations',
    run: (state, name) =>
      name === ''
        ? openList(state)
        : startTask({ ...state, chosenFrom: undefined }, 'opening a conversation', {
            type: 'resume',
            name,
          }),
  },
  {
    name: 'conversations',
    argument: '[text]',
    summary: 'list conversations, or those with all words of a text',
    group: 'conversations',
    example: '/conversations tea',
    run: (state, query) =>
      startTask(state, 'reading conversations', { type: 'list-conversations', query }),
  },
  {
    name: 'rename',
    argument: '[title]',
    summary: 'show or set the title of this conversation',
    group: 'conversations',
    example: '/rename Tea for two',
    run: rename,
  },
  {
    name: 'model',
    argument: '[id]',
    summary: 'show or set the model',
    group: 'settings',
    example: '/model nextgen',
    completes: 'models',
    isImmediate: true,
    run: setModel,
  },
  {
    name: 'models',
    summary: 'list the models of the service',
    group: 'settings',
    run: (state) => startTask(state, 'listing models', { type: 'list-models' }),
  },
  {
    name: 'max-tokens',
    argument: '[n]',
    summary: 'limit the tokens of an answer; off removes the limit',
    group: 'settings',
    example: '/max-tokens 500',
    run: setMaxTokens,
  },
  ...displayCommands,
  {
    name: 'attach',
    argument: '<path>',
    summary: 'attach a text file to the next prompt',
    group: 'text',
    example: '/attach notes.md; /attach none removes it',
    completes: 'files',
    run: attach,
  },
  {
    name: 'usage',
    summary: 'show the tokens of this session',
    group: 'conversations',
    run: (state) => printNotice(state, usageText(state)),
  },
  {
    name: 'context',
    argument: '[summary]',
    summary: "show what fills the model's window, or the summary",
    group: 'conversations',
    example: '/context summary',
    run: showContext,
  },
  {
    name: 'compact',
    argument: '[text]',
    summary: 'send a summary instead of the older turns',
    group: 'conversations',
    example: '/compact keep the names and the numbers',
    takesLines: true,
    run: compact,
  },
  {
    name: 'clear',
    isSilent: true,
    summary: 'clear the window; its text stays in the scrollback',
    group: 'program',
    needsLiveRegion: true,
    run: clearWindow,
  },
  {
    name: 'redraw',
    isSilent: true,
    summary: 'redraw the composer',
    group: 'program',
    isImmediate: true,
    needsLiveRegion: true,
    run: (state) => step(state, { type: 'redraw' }),
  },
  {
    name: 'quit',
    isSilent: true,
    summary: 'quit natter',
    group: 'program',
    isImmediate: true,
    run: quit,
  },
];

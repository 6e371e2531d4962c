import { catalogue } from '../../client/contract.ts';
import { tokenText } from '../../output/figures.ts';
import { refuse, printNotice, startTask, step, type Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';
import { themeNames } from '../text/themes.ts';
import { systemText } from '../text/status-text.ts';
import type { SlashCommand } from './slash-command.ts';

const none = new Set(['off', 'none']);

function setModel(state: ReplState, argument: string): Step {
  const { choices, knownModels } = state;
  const known = new Set([...knownModels, ...catalogue.map(({ id }) => id), 'auto']);
  if (argument === '') {
    return printNotice(
      state,
      `the model is ${choices.model}; known models: ${[...known].join(', ')}`,
    );
  }
  if (/\s/.test(argument))
    return refuse(state, 'a model id cannot contain spaces', '/models lists them');
  const next = { ...state, choices: { ...choices, model: argument }, hasOfferedModel: false };
  const doubt = known.has(argument)
    ? ''
    : '; natter does not know it, /models lists the available models';
  return printNotice(next, `the model is now ${argument}${doubt}`);
}

function setSystem(state: ReplState, argument: string): Step {
  const { choices } = state;
  if (argument === '') return printNotice(state, systemText(choices.system));
  const system = none.has(argument) ? undefined : argument;
  return printNotice({ ...state, choices: { ...choices, system } }, systemText(system));
}

function setMaxTokens(state: ReplState, argument: string): Step {
  const { choices } = state;
  const limitText = (limit: number | undefined) =>
    limit === undefined
      ? 'natter sets no limit on answer tokens'
      : `the limit of an answer is ${tokenText(limit)}`;
  if (argument === '') return printNotice(state, limitText(choices.maxTokens));
  if (none.has(argument)) {
    return printNotice(
      { ...state, choices: { ...choices, maxTokens: undefined } },
      limitText(undefined),
    );
  }
  const maxTokens = Number(argument);
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    return refuse(
      state,
      '/max-tokens needs a whole number of at least 1',
      '/max-tokens 500, or /max-tokens off',
    );
  }
  return printNotice({ ...state, choices: { ...choices, maxTokens } }, limitText(maxTokens));
}

function setTheme(state: ReplState, argument: string): Step {
  const theme = themeNames.find((name) => name === argument);
  if (argument === '') {
    return printNotice(
      state,
      `the theme is ${state.choices.theme}; available: ${themeNames.join(', ')}`,
    );
  }
  if (theme === undefined) {
    return refuse(state, `themes are ${themeNames.join(', ')}`, '/theme mono');
  }
  const next = { ...state, choices: { ...state.choices, theme } };
  return step(next, { type: 'set-theme', theme });
}

export const settingCommands: readonly SlashCommand[] = [
  {
    name: 'model',
    argument: '[id]',
    summary: 'show or set the model',
    completes: 'models',
    isImmediate: true,
    run: setModel,
  },
  {
    name: 'models',
    argument: '',
    summary: 'list the models of the service',
    completes: 'none',
    run: (state) => startTask(state, 'listing models', { type: 'list-models' }),
  },
  {
    name: 'system',
    argument: '[text]',
    summary: 'show or set the system prompt; off removes it',
    completes: 'none',
    takesLines: true,
    run: setSystem,
  },
  {
    name: 'max-tokens',
    argument: '[n]',
    summary: 'limit the tokens of an answer; off removes the limit',
    completes: 'none',
    run: setMaxTokens,
  },
  {
    name: 'theme',
    argument: '[name]',
    summary: 'theme: color, mono (weight and underlines only) or plain',
    completes: 'themes',
    isImmediate: true,
    isOfScreen: true,
    run: setTheme,
  },
];

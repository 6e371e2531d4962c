import { printNotice, refuse, step, type Step } from '../reducer/step.ts';
import type { ReplState } from '../state/state.ts';
import { themeNames } from '../../terminal/style.ts';
import { wrapModes } from '../text/wrap-modes.ts';
import type { SlashCommand } from './slash-command.ts';

function setTheme(state: ReplState, argument: string): Step {
  const { settings } = state;
  const available = `available: ${themeNames.join(', ')}`;
  if (argument === '') return printNotice(state, `the theme is ${settings.theme}; ${available}`);
  const theme = themeNames.find((name) => name === argument);
  if (theme === undefined) return refuse(state, `unknown theme ${argument}`, available);
  return step({ ...state, settings: { ...settings, theme } }, { type: 'set-theme', theme });
}

const wrapText = {
  words: 'rows of answers end between words; /wrap none lets the terminal wrap them',
  none: 'the terminal wraps answers; /wrap words ends rows between words',
} as const;

function setWrap(state: ReplState, argument: string): Step {
  const { settings } = state;
  if (argument === '') return printNotice(state, wrapText[settings.wrap]);
  const wrap = wrapModes.find((mode) => mode === argument);
  if (wrap === undefined)
    return refuse(state, `unknown wrap mode ${argument}`, `available: ${wrapModes.join(', ')}`);
  return printNotice({ ...state, settings: { ...settings, wrap } }, wrapText[wrap]);
}

/** How the transcript looks. */
export const displayCommands: readonly SlashCommand[] = [
  {
    name: 'theme',
    argument: '[name]',
    summary: 'colours: color, light, dark, mono (weights only), plain',
    group: 'settings',
    example: '/theme mono',
    completes: 'themes',
    isImmediate: true,
    needsLiveRegion: true,
    run: setTheme,
  },
  {
    name: 'wrap',
    argument: '[mode]',
    summary: 'wrap answers at words, or none: let the terminal wrap',
    group: 'settings',
    example: '/wrap none',
    completes: 'wrap modes',
    isImmediate: true,
    run: setWrap,
  },
];

import { isSet, type Environment } from '../../environment.ts';

/** How a notification is sent: the terminal's bell, or a text that the desktop shows. */
export type NotificationWay = 'bell' | 'osc9' | 'osc777';

/** What the user allows; `auto` depends on the terminal. */
export interface WindowSettings {
  readonly notify: NotificationWay | 'auto' | 'off';
  readonly progress: 'auto' | 'on' | 'off';
  readonly title: 'auto' | 'on' | 'off';
}

/** What is written to the terminal besides text. */
export interface WindowWays {
  /** Undefined: no notifications. */
  readonly notification: NotificationWay | undefined;
  /** The progress of the tab or the taskbar (OSC 9;4). */
  readonly progress: boolean;
  readonly title: boolean;
  /** The terminal is inside a program that passes foreign sequences on only if they are wrapped. */
  readonly multiplexer: 'tmux' | 'screen' | undefined;
}

function multiplexerOf(environment: Environment): WindowWays['multiplexer'] {
  if (isSet(environment, 'TMUX')) return 'tmux';
  return isSet(environment, 'STY') ? 'screen' : undefined;
}

/** The name that the terminal gives itself; iTerm2 sends its own over SSH. */
const programOf = ({ LC_TERMINAL: remote, TERM_PROGRAM: local }: Environment) => remote || local;

/** They show OSC 9 as a notification; for others, the text of OSC 9 may mean something else. */
const osc9Programs = new Set(['iTerm.app', 'iTerm2', 'WezTerm', 'ghostty', 'WarpTerminal']);

/** Without a setting of the user, multiplexers pass on only the bell. */
function automaticNotification(environment: Environment): NotificationWay {
  const { TERM: name = '' } = environment;
  if (multiplexerOf(environment) !== undefined) return 'bell';
  if (osc9Programs.has(programOf(environment) ?? '') || name === 'xterm-kitty') return 'osc9';
  return /^(?:foot|rxvt-unicode)/.test(name) ? 'osc777' : 'bell';
}

/** VTE has it since 0.80. */
const firstVteWithProgress = 8000;

/** Others may show OSC 9;4 as a notification. */
function hasProgress(environment: Environment): boolean {
  if (multiplexerOf(environment) !== undefined) return false;
  const { WT_SESSION: windowsTerminal, ConEmuANSI: conEmu, VTE_VERSION: vte } = environment;
  if ((windowsTerminal ?? '') !== '' || conEmu === 'ON') return true;
  if (Number(vte) >= firstVteWithProgress) return true;
  return ['WezTerm', 'ghostty'].includes(programOf(environment) ?? '');
}

/** Whether the terminal has a stack of titles: it can restore the old title, which programs cannot read. */
function restoresTitle(environment: Environment): boolean {
  const { TERM_PROGRAM: program, TERM: name = '' } = environment;
  const foreign = ['WT_SESSION', 'ConEmuANSI', 'KONSOLE_VERSION'];
  if (multiplexerOf(environment) === 'screen') return false;
  if (multiplexerOf(environment) === 'tmux') return true;
  if (program === 'Apple_Terminal' || foreign.some((variable) => isSet(environment, variable)))
    return false;
  return /^(?:xterm|alacritty|foot|kitty|rxvt|tmux|wezterm|ghostty|contour)/.test(name);
}

/** They print what they do not understand. */
const withoutSequences = /^(?:dumb|linux|eterm|ansi|vt\d)|^$/;

export function windowWays(settings: WindowSettings, environment: Environment): WindowWays {
  const { notify, progress, title } = settings;
  const multiplexer = multiplexerOf(environment);
  const isTextOnly = withoutSequences.test(environment['TERM'] ?? '');
  if (isTextOnly && !isSet(environment, 'WT_SESSION')) {
    // Every terminal has a bell.
    const rings = notify !== 'off' && environment['TERM'] !== 'dumb';
    const notification = rings ? 'bell' : undefined;
    return { notification, progress: false, title: false, multiplexer };
  }
  const automatic = notify === 'auto' ? automaticNotification(environment) : notify;
  return {
    notification: automatic === 'off' ? undefined : automatic,
    progress: progress === 'on' || (progress === 'auto' && hasProgress(environment)),
    title: title === 'on' || (title === 'auto' && restoresTitle(environment)),
    multiplexer,
  };
}

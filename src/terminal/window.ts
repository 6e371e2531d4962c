import { isSet, type Environment } from '../environment.ts';
import type { TerminalModes } from './device/raw-mode.ts';
import { sanitizeLine } from './safety/sanitizer.ts';
import { truncateToWidth } from './text/width.ts';

/** How a notification is sent: the terminal's bell, or a text that the desktop shows. */
type NotificationWay = 'bell' | 'osc9' | 'osc777';

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

/** Multiplexers pass on only the bell unless the user changes their settings. */
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

const ESC = '\u001B';
/** Unlike ST, it also ends a sequence that is inside a different one. */
const BEL = '\u0007';

const maxTitleColumns = 80;
const maxNotificationColumns = 120;

/** Percent; `busy` has no end that is known, `paused` waits before it continues. */
export type WindowProgress = 'none' | 'busy' | 'paused' | number;

/** tmux and screen pass the content of these on to their terminal; tmux only with `allow-passthrough on`. */
function passThrough(sequence: string, { multiplexer }: WindowWays): string {
  if (multiplexer === 'tmux') return `${ESC}Ptmux;${sequence.replaceAll(ESC, ESC + ESC)}${ESC}\\`;
  return multiplexer === 'screen' ? `${ESC}P${sequence}${ESC}\\` : sequence;
}

/** A text of the service or the user, as far as it may be inside a sequence. */
function safeText(text: string, maxColumns: number): string {
  return truncateToWidth(sanitizeLine(text).trim(), maxColumns);
}

/** Asks for reports when the window gets and loses the focus. */
const focusReports = { enter: `${ESC}[?1004h`, leave: `${ESC}[?1004l` };

/** The terminal's stack of titles. */
const titleStack = { enter: `${ESC}[22;2t`, leave: `${ESC}[23;2t` };

export function titleSequence(text: string): string {
  return `${ESC}]2;${safeText(text, maxTitleColumns)}${BEL}`;
}

const progressCodes = { none: '0;', busy: '3;', paused: '4;' } as const;

export function progressSequence(progress: WindowProgress, ways: WindowWays): string {
  const code =
    typeof progress === 'number'
      ? `1;${Math.min(100, Math.max(0, Math.floor(progress)))}`
      : progressCodes[progress];
  return passThrough(`${ESC}]9;4;${code}${BEL}`, ways);
}

const notificationBytes: Readonly<Record<NotificationWay, (text: string) => string>> = {
  bell: () => BEL,
  // The name in front also keeps the text from being a subcommand, such as `4;` for the progress.
  osc9: (text) => `${ESC}]9;natter: ${text}${BEL}`,
  osc777: (text) => `${ESC}]777;notify;natter;${text.replaceAll(';', ',')}${BEL}`,
};

/** Empty without a way. */
export function notificationSequence(text: string, ways: WindowWays): string {
  const { notification } = ways;
  if (notification === undefined) return '';
  const bytes = notificationBytes[notification](safeText(text, maxNotificationColumns));
  return notification === 'bell' ? bytes : passThrough(bytes, ways);
}

/** The sequences before the first use of the window, and those that put it back. */
export function windowModes(ways: WindowWays): TerminalModes {
  const { title, progress } = ways;
  // It decides whether there are notifications.
  const hasFocus = ways.notification !== undefined;
  return {
    enter: `${title ? titleStack.enter : ''}${hasFocus ? focusReports.enter : ''}`,
    leave: [
      hasFocus ? focusReports.leave : '',
      progress ? progressSequence('none', ways) : '',
      title ? titleStack.leave : '',
    ].join(''),
  };
}

/** The title and the progress of the window, each written when it changes. */
export class TerminalWindow {
  readonly #ways: WindowWays;
  readonly #write: (sequence: string) => void;
  #title = '';
  #progress = '';

  constructor(ways: WindowWays, write: (sequence: string) => void) {
    this.#ways = ways;
    this.#write = write;
  }

  /** @param turn another number writes the same progress again */
  show(title: string, progress: WindowProgress, turn = 0): void {
    if (this.#ways.title && title !== this.#title) {
      this.#title = title;
      this.#write(titleSequence(title));
    }
    const key = `${progress} ${turn}`;
    const isFirst = this.#progress === '' && progress === 'none';
    if (!this.#ways.progress || isFirst || key === this.#progress) return;
    this.#progress = key;
    this.#write(progressSequence(progress, this.#ways));
  }

  notify(text: string): void {
    const sequence = notificationSequence(text, this.#ways);
    if (sequence !== '') this.#write(sequence);
  }

  /** Writes everything again, after the modes were set again. */
  refresh(): void {
    this.#title = '';
    this.#progress = '';
  }
}

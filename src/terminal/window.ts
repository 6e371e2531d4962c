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
export type WindowWays = Readonly<ReturnType<typeof windowWays>>;

/** They show OSC 9 as a notification; for others, the text of OSC 9 may mean something else. */
const osc9Programs = new Set(['iTerm.app', 'iTerm2', 'WezTerm', 'ghostty', 'WarpTerminal']);

/** VTE has the progress since 0.80. */
const firstVteWithProgress = 8000;

/** They have a stack of titles: they can restore the old title, which programs cannot read. */
const namesWithTitles = /^(?:xterm|alacritty|foot|kitty|rxvt|tmux|wezterm|ghostty|contour)/;
/** These do not, but call themselves xterm. */
const variablesWithoutTitles = ['WT_SESSION', 'ConEmuANSI', 'KONSOLE_VERSION'];

/** They print what they do not understand. */
const withoutSequences = /^(?:dumb|linux|eterm|ansi|vt\d)|^$/;

export function windowWays({ notify, progress, title }: WindowSettings, environment: Environment) {
  const { TERM: name = '', TERM_PROGRAM: local = '', LC_TERMINAL: remote } = environment;
  const has = (variable: string) => isSet(environment, variable);
  const screen = has('STY') ? 'screen' : undefined;
  const multiplexer = has('TMUX') ? 'tmux' : screen;
  if (withoutSequences.test(name) && !has('WT_SESSION')) {
    // Every terminal has a bell.
    const rings = notify !== 'off' && name !== 'dumb';
    const notification = rings ? ('bell' as const) : undefined;
    return { notification, progress: false, title: false, multiplexer };
  }
  // Multiplexers pass on only the bell unless the user changes their settings; tmux restores titles.
  const isDirect = multiplexer === undefined;
  // iTerm2 sends its own name over SSH.
  const program = remote || local;
  const isOsc9 = osc9Programs.has(program) || name === 'xterm-kitty';
  const otherwise = /^(?:foot|rxvt-unicode)/.test(name) ? 'osc777' : 'bell';
  const automatic = isOsc9 ? 'osc9' : otherwise;
  // Others may show OSC 9;4 as a notification.
  const showsProgress =
    has('WT_SESSION') ||
    environment['ConEmuANSI'] === 'ON' ||
    Number(environment['VTE_VERSION']) >= firstVteWithProgress ||
    ['WezTerm', 'ghostty'].includes(program);
  const restoresTitle =
    local !== 'Apple_Terminal' && namesWithTitles.test(name) && !variablesWithoutTitles.some(has);
  const chosen: NotificationWay | 'off' =
    notify === 'auto' ? (isDirect && automatic) || 'bell' : notify;
  return {
    /** Undefined: no notifications. */
    notification: chosen === 'off' ? undefined : chosen,
    /** The progress of the tab or the taskbar (OSC 9;4). */
    progress: progress === 'auto' ? isDirect && showsProgress : progress === 'on',
    title: title === 'auto' ? (isDirect ? restoresTitle : multiplexer === 'tmux') : title === 'on',
    /** The terminal is inside a program that passes foreign sequences on only if they are wrapped. */
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

const titleStack = { enter: `${ESC}[22;2t`, leave: `${ESC}[23;2t` };

const progressCodes = { none: '0;', busy: '3;', paused: '4;' } as const;

function progressSequence(progress: WindowProgress): string {
  const code =
    typeof progress === 'number'
      ? `1;${Math.min(100, Math.max(0, Math.floor(progress)))}`
      : progressCodes[progress];
  return `${ESC}]9;4;${code}${BEL}`;
}

/** The title, the progress and notifications of the window. */
export function createTerminalWindow(ways: WindowWays, write: (sequence: string) => void) {
  const modes: readonly TerminalModes[] = [
    ...(ways.title ? [titleStack] : []),
    ...(ways.progress ? [{ enter: '', leave: passThrough(progressSequence('none'), ways) }] : []),
    // It decides whether there are notifications.
    ...(ways.notification === undefined ? [] : [focusReports]),
  ];
  const leave = modes.map((mode) => mode.leave).toReversed();
  let shownTitle = '';
  /** Empty for none. */
  let shownProgress = '';
  return {
    /** The sequences before the first use of the window, and those that put it back. */
    modes: { enter: modes.map((mode) => mode.enter).join(''), leave: leave.join('') },
    /** Writes the title and the progress if they have changed. @param turn another number writes the same progress again */
    show: (title: string, progress: WindowProgress, turn = 0): void => {
      if (ways.title && title !== shownTitle) {
        write(`${ESC}]2;${safeText(title, maxTitleColumns)}${BEL}`);
      }
      shownTitle = title;
      const shown = progress === 'none' ? '' : `${progress} ${turn}`;
      if (ways.progress && shown !== shownProgress) {
        write(passThrough(progressSequence(progress), ways));
      }
      shownProgress = shown;
    },
    notify(text: string): void {
      const shown = safeText(text, maxNotificationColumns);
      if (ways.notification === undefined) return;
      const sequences = {
        bell: BEL,
        // The name in front also keeps the text from being a subcommand, such as `4;` for the progress.
        osc9: passThrough(`${ESC}]9;natter: ${shown}${BEL}`, ways),
        osc777: passThrough(`${ESC}]777;notify;natter;${shown.replaceAll(';', ',')}${BEL}`, ways),
      };
      write(sequences[ways.notification]);
    },
    /** Writes everything again, after the modes were set again. */
    refresh(): void {
      shownTitle = '';
      shownProgress = '';
    },
  };
}

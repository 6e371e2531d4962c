import { sanitizeLine } from '../safety/sanitizer.ts';
import { truncateToWidth } from '../text/width.ts';
import type { NotificationWay, WindowWays } from './window-ways.ts';

const ESC = '\u001B';
/** Unlike ST, it also ends a sequence that is inside a different one. */
const BEL = '\u0007';

const maxTitleColumns = 80;
const maxNotificationColumns = 120;

/** Percent; `busy` has no end that is known, `paused` waits before it continues. */
export type WindowProgress = 'none' | 'busy' | 'paused' | number;

/** tmux and screen pass the content of these on to their terminal; tmux only with `allow-passthrough on`. */
function passThrough(sequence: string, { multiplexer }: Pick<WindowWays, 'multiplexer'>): string {
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

export function progressSequence(
  progress: WindowProgress,
  ways: Pick<WindowWays, 'multiplexer'>,
): string {
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
export function notificationSequence(
  text: string,
  { notification, multiplexer }: Pick<WindowWays, 'notification' | 'multiplexer'>,
): string {
  if (notification === undefined) return '';
  const bytes = notificationBytes[notification](safeText(text, maxNotificationColumns));
  return notification === 'bell' ? bytes : passThrough(bytes, { multiplexer });
}

/** The sequences before the first use of the window, and those that put it back. */
export function windowModes(
  ways: WindowWays,
  wantsFocus: boolean,
): { readonly enter: string; readonly leave: string } {
  const { title, progress, notification } = ways;
  const hasFocus = wantsFocus && notification !== undefined;
  return {
    enter: `${title ? titleStack.enter : ''}${hasFocus ? focusReports.enter : ''}`,
    leave: [
      hasFocus ? focusReports.leave : '',
      progress ? progressSequence('none', ways) : '',
      title ? titleStack.leave : '',
    ].join(''),
  };
}

import type { Environment } from '../../environment.ts';
import type { TerminalColors } from '../themes.ts';

const namesWithRgb = ['direct', 'kitty', 'ghostty', 'alacritty', 'foot', 'wezterm'];

/** `0;15`, `15;default;0`: the foreground and the background as numbers of the 16 colours, as rxvt and Konsole set it. */
function namedBackground(value: string | undefined): TerminalColors['background'] {
  const index = value && /;(\d+)$/.exec(value)?.[1];
  if (!index || Number(index) > 15) return undefined;
  return Number(index) === 7 || Number(index) > 8 ? 'light' : 'dark';
}

/** The terminal's colours, as far as the environment shows them. */
export function terminalColors(environment: Environment): TerminalColors {
  const { TERM: name = '', COLORTERM: depth = '', COLORFGBG: colors } = environment;
  const hasRgb =
    namesWithRgb.some((part) => name.includes(part)) ||
    ['truecolor', '24bit'].includes(depth) ||
    environment['WT_SESSION'] !== undefined;
  return { background: namedBackground(colors), hasMany: hasRgb || name.includes('256'), hasRgb };
}

/** The relative luminance of a colour (WCAG 2), each part of which is from 0 to 1. */
export function luminance(red: number, green: number, blue: number): number {
  const linear = (part: number) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

/** Whether black text has more contrast on a colour than white text. */
export const isLightColor = (red: number, green: number, blue: number): boolean =>
  luminance(red, green, blue) > 0.179;

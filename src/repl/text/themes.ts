import { createStyle, type Style } from '../../terminal/style.ts';
import type { ThemeName } from '../state/state.ts';

/** The style of a theme, made of the one the terminal was found to take. */
export function themedStyle(theme: ThemeName, style: Style): Style {
  if (theme === 'color' || !style.colored) return style;
  if (theme === 'plain') return createStyle('none');
  const { bold, underline } = style;
  const unchanged = (text: string) => text;
  return {
    ...style,
    red: bold,
    green: unchanged,
    yellow: unchanged,
    blue: underline,
    magenta: unchanged,
    cyan: bold,
  };
}

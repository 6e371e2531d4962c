import { plainStyle, type Style } from '../../terminal/style.ts';

export const themeNames = ['color', 'mono', 'plain'] as const;

/** `color` uses the terminal's own 16 colours, `mono` weight and underlines only, `plain` nothing. */
export type ThemeName = (typeof themeNames)[number];

/** Restricts the terminal's style to a theme. */
export function themedStyle(theme: ThemeName, style: Style): Style {
  if (theme === 'color' || !style.colored) return style;
  if (theme === 'plain') return plainStyle;
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

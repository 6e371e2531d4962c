import {
  ScreenMarkdown,
  type MarkdownStreamOptions,
} from '../../../src/terminal/markdown/markdown-stream.ts';
import { colorStyle, plainStyle } from '../../../src/terminal/style.ts';

export interface RenderOptions extends Partial<Omit<MarkdownStreamOptions, 'width'>> {
  readonly color?: boolean;
  readonly width?: number;
  /** Instead of `width`, for a window that changes. */
  readonly columns?: () => number;
}

export function openStream({
  color = true,
  width = 80,
  columns = () => width,
  ...rest
}: RenderOptions = {}) {
  return new ScreenMarkdown({
    style: color ? colorStyle : plainStyle,
    width: columns,
    hyperlinks: false,
    unicode: true,
    ...rest,
  });
}

/** What a terminal is given for this Markdown, written in these pieces. */
export function render(source: string | readonly string[], options?: RenderOptions) {
  const stream = openStream(options);
  let output = '';
  for (const piece of typeof source === 'string' ? [source] : source) output += stream.write(piece);
  return output + stream.end();
}

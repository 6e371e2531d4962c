import { createMarkdownStream } from '../terminal/markdown/markdown-stream.ts';
import { sanitize, sanitizeLine } from '../terminal/sanitizer.ts';
import type { Style } from '../terminal/style.ts';
import type { TranscriptFormat } from './transcript.ts';

export interface RichFormatOptions {
  readonly style: Style;
  readonly width: () => number;
  readonly hyperlinks: boolean;
  /** The terminal shows `›`. */
  readonly unicode: boolean;
}

/** The transcript of a capable terminal: answers as Markdown, prompts marked, remarks dim. */
export function richFormat(options: RichFormatOptions): TranscriptFormat {
  const { style, unicode } = options;
  const mark = style.cyan(unicode ? '›' : '>');
  return {
    prompt: (text) => `${mark} ${style.bold(sanitize(text))}\n`,
    answerHead: () => '',
    answerText: () => createMarkdownStream(options),
    notice: (text) => `${style.dim(sanitize(text))}\n`,
    failure: (message, hint) => {
      const advice = hint === undefined ? '' : `${style.dim(`  ${sanitizeLine(hint)}`)}\n`;
      return `${style.red(sanitizeLine(message))}\n${advice}`;
    },
    separator: '\n',
  };
}

import type * as markdown from '../../terminal/markdown/markdown-stream.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { Style } from '../../terminal/style.ts';
import type { TranscriptFormat } from '../session/transcript.ts';

type Markdown = Pick<typeof markdown, 'createMarkdownStream'>;

/** A promise until Markdown is loaded. */
export type MarkdownLoader = () => Markdown | Promise<Markdown>;

/** Markdown takes as long to load as all else that the first frame needs: the first answer brings it along. */
export function createMarkdownLoader(): MarkdownLoader {
  let loaded: Markdown | Promise<Markdown> | undefined;
  const load = async () => (loaded = await import('../../terminal/markdown/markdown-stream.ts'));
  return () => (loaded ??= load());
}

export interface RichFormatOptions {
  readonly markdown: MarkdownLoader;
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
    command: (text) => `${style.dim(`${unicode ? '›' : '>'} ${sanitize(text)}`)}\n`,
    answerHead: () => '',
    reasoningHead: '',
    reasoning: (text) => style.dim(text),
    answerText() {
      const loaded = options.markdown();
      if ('createMarkdownStream' in loaded) return loaded.createMarkdownStream(options);
      return loaded.then(({ createMarkdownStream }) => createMarkdownStream(options));
    },
    notice: (text) => `${style.dim(sanitize(text))}\n`,
    failure: (message, hint) => {
      const advice = hint === undefined ? '' : `${style.dim(`  ${sanitizeLine(hint)}`)}\n`;
      return `${style.red(sanitizeLine(message))}\n${advice}`;
    },
    separator: '\n',
  };
}

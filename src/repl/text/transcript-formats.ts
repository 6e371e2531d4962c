import type * as markdown from '../../terminal/markdown/markdown-stream.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { Style } from '../../terminal/style.ts';
import type { AnswerFormatter, TranscriptFormat } from '../session/transcript.ts';

type Markdown = Pick<typeof markdown, 'createMarkdownStream'>;

/** Returns a promise until Markdown is loaded. */
export type MarkdownLoader = () => Markdown | Promise<Markdown>;

/** Markdown takes as long to load as everything else in the first frame, so the first answer loads it. */
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
  /** The terminal can show `›`. */
  readonly unicode: boolean;
}

/** For terminals with escape codes: answers as Markdown, prompts marked, notices dim. */
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
      const hintLine = hint === undefined ? '' : `${style.dim(`  ${sanitizeLine(hint)}`)}\n`;
      return `${style.red(sanitizeLine(message))}\n${hintLine}`;
    },
    separator: '\n',
  };
}

const passThrough = (): AnswerFormatter => ({
  write: (text) => text,
  end: () => '',
  undecided: () => '',
});

/** For screen readers and dumb terminals. The terminal echoed typed prompts, so only other prompts are written. */
export const lineFormat: TranscriptFormat = {
  prompt: (text, needsEcho) => (needsEcho ? `You: ${sanitize(text)}\n` : ''),
  command: (text, needsEcho) => (needsEcho ? `You: ${sanitize(text)}\n` : ''),
  reasoningHead: 'reasoning: ',
  reasoning: (text) => text,
  answerHead: (model) => `${sanitizeLine(model ?? 'answer')}: `,
  answerText: passThrough,
  // Tables start on a separate line: after the label, the first line's columns would not align.
  notice: (text) => `natter:${text.includes('\n') ? '\n' : ' '}${sanitize(text)}\n`,
  failure: (message, hint) =>
    `natter: ${sanitizeLine(message)}\n${hint === undefined ? '' : `  ${sanitizeLine(hint)}\n`}`,
  separator: '',
};

import {
  type MarkdownStreamOptions,
  ScreenMarkdown,
} from '../../terminal/markdown/markdown-stream.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { timeText } from '../../conversation/prompt-time.ts';
import { hangText } from '../../terminal/text/rows.ts';
import { displayWidth } from '../../terminal/text/width.ts';
import type { TranscriptFormat } from './transcript.ts';
import { symbolsFor } from '../screen/symbols.ts';

const indent = '  ';

/** The format of terminals with escape codes: answers as Markdown, prompts on a band, failures marked, replies to commands as they are, the rest dim. */
export function richFormat(
  /** With `marks`, prompts and answers are marked for the terminal. */
  options: MarkdownStreamOptions & { readonly marks?: boolean },
): TranscriptFormat {
  const { style, unicode } = options;
  const { mark, cross, dot } = symbolsFor(unicode);
  // A row of full width leaves the cursor in a pending-wrap state in some terminals.
  const columns = () =>
    options.wrap === 'none' ? Number.POSITIVE_INFINITY : Math.max(1, options.width() - 1);
  const hanging = (text: string) => hangText(text, columns(), indent);
  const dim = (text: string) => `${style.dim(text)}\n`;
  const semanticMark = (name: string) =>
    options.marks === true ? `\u001B]133;${name}\u001B\\` : '';
  return {
    prompt({ text }) {
      const sent = style.bold(hanging(sanitize(text)));
      const shown = style.band(`${style.inverse(style.cyan(mark))} ${sent}`);
      // When the window is resized, kitty erases the prompt and expects a redraw. `redraw=0` turns that off.
      return `${semanticMark('A;redraw=0')}${shown}${semanticMark('B')}\n`;
    },
    mark: semanticMark,
    command: ({ text }) => dim(`${mark} ${hanging(sanitize(text))}`),
    answerHead: () => '',
    reasoningHead: '',
    reasoning: (text) => style.dim(text),
    reasoningWidth: columns,
    answerText() {
      return new ScreenMarkdown({ ...options, codeHint: (block) => `/copy ${block}` });
    },
    closing({ facts, version, time }) {
      const known = sanitizeLine([...facts, ...(version === undefined ? [] : [version])].join(dot));
      const times = time === undefined ? [] : [timeText(time), time.clock];
      // As far as there is room for it, the row has the time, and then the hint.
      const lines = [...times.map((text) => `${known}${dot}${text}`), known];
      const hint = version === undefined ? [] : ['; /version switches'];
      const rows = lines.flatMap((line) => [...hint.map((text) => line + text), line]);
      return dim(hanging(rows.find((row) => displayWidth(row) <= columns()) ?? known));
    },
    output: ({ text }) => sanitize(text),
    notice({ text }, isReply) {
      // Each line separately, because the lines of a table are not indented; a line that fits stays as it is.
      const lines = sanitize(text).split('\n');
      const rows = lines
        .map((line) => (displayWidth(line) <= columns() ? line : hanging(line)))
        .join('\n');
      return isReply === true ? `${rows}\n` : dim(rows);
    },
    aside({ question, text }) {
      const width = () => options.width() - indent.length;
      const stream = new ScreenMarkdown({ ...options, width });
      const lines = (stream.write(sanitize(text)) + stream.end()).trimEnd().split('\n');
      const rows = lines.map((line) => (line === '' ? '\n' : `${indent}${line}\n`));
      const head = dim(hanging(`${mark} btw: ${sanitize(question)}`));
      return text === '' ? head : head + rows.join('');
    },
    failure({ message, hint }) {
      const failed = style.red(`${cross} ${hanging(sanitizeLine(message))}`);
      return `${failed}\n${hint === undefined ? '' : dim(indent + hanging(sanitizeLine(hint)))}`;
    },
    separator: '\n',
  };
}

import type { Journal } from '../../conversation/journal/journal.ts';
import { SpokenMarkdown } from '../../terminal/markdown/spoken-markdown.ts';
import { createSession } from '../create-session.ts';
import type { Repl, Session } from '../session.ts';
import type { ReplState } from '../state.ts';
import type { TranscriptFormat } from '../transcript/transcript.ts';
import type { MarkdownStream } from '../../terminal/markdown/block-driver.ts';
import { LineScreen } from './line-screen.ts';
import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { hangText } from '../../terminal/text/rows.ts';

/** A notice for a screen reader: without symbols that it skips or reads as their names. */
function inWords(text: string): string {
  return text
    .replaceAll(' · ', ', ')
    .replaceAll(/[~≈] ?(?=\d)/g, 'about ')
    .replaceAll(/\bversion (\d+)\/(\d+)/g, 'version $1 of $2')
    .replaceAll('tokens/s', 'tokens a second');
}

const passThrough = (): MarkdownStream => ({
  write: (text) => text,
  end: () => '',
  undecided: () => '',
});

/**
 * Writes for screen readers and dumb terminals, with answers as their source. The terminal echoed typed prompts, so only
 * other prompts are written.
 * @param width columns of a row, infinite to leave wrapping to the terminal
 * @param answerText how answers are read; by default as their source
 */
export function lineFormat(
  width: () => number,
  answerText: TranscriptFormat['answerText'] = passThrough,
): TranscriptFormat {
  const fit = (text: string) => `${hangText(text, width())}\n`;
  const prompt = ({ text, needsEcho }: { readonly text: string; readonly needsEcho?: boolean }) =>
    needsEcho === true ? fit(`You: ${sanitize(text)}`) : '';
  return {
    prompt,
    command: prompt,
    mark: () => '',
    reasoningHead: 'reasoning: ',
    reasoning: (text) => text,
    reasoningWidth: width,
    answerHead: (model) => `${sanitizeLine(model ?? 'answer')}: `,
    answerText,
    closing: ({ version, models, time }) =>
      (time === undefined
        ? ''
        : fit(`natter: sent at ${[time.clock, time.day].filter(Boolean).join(', ')}`)) +
      (version === undefined
        ? ''
        : fit(`natter: this is ${inWords(version)}${sanitizeLine(models)}; /version switches`)),
    output: ({ text }) => sanitize(text),
    // Tables start on a separate line: after the label, the first line's columns would not align.
    notice: ({ text }) =>
      fit(`natter:${text.includes('\n') ? '\n' : ' '}${inWords(sanitize(text))}`),
    aside({ question, text }) {
      const head = fit(`btw question: ${sanitize(question)}`);
      if (text === '') return head;
      const label = 'btw answer: ';
      const stream = answerText(label.length);
      return `${head}${label}${(stream.write(sanitize(text)) + stream.end()).trimEnd()}\n`;
    },
    failure: ({ message, hint }) =>
      fit(`natter: ${inWords(sanitizeLine(message))}`) +
      (hint === undefined ? '' : fit(`  ${sanitizeLine(hint)}`)),
    separator: '',
  };
}

/** A session in plain labelled lines, for screen readers and dumb terminals. */
export function startLineMode(repl: Repl, journal: Journal, first: ReplState): Session {
  const { environment, streams } = repl.context;
  // A dumb terminal, such as in Emacs, edits the lines itself, and its keys cannot be changed.
  const editsLines = environment['TERM'] !== 'dumb';
  const state = editsLines ? first : { ...first, keyMap: undefined };
  const width = () =>
    session.state().settings.wrap === 'none' ? Number.POSITIVE_INFINITY : streams.stdout.columns();
  const update: Session['update'] = (change) => session.update(change);
  const screen = new LineScreen(repl, state, update, editsLines, width);
  const spoken = (column: number) => new SpokenMarkdown(width, column);
  // With --plain, answers are written as their Markdown source.
  const format = lineFormat(width, repl.options.plain === true ? passThrough : spoken);
  const session: Session = createSession({ repl, journal, state, screen, format: () => format });
  screen.start();
  return session;
}

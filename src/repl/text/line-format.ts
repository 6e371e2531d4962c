import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { AnswerFormatter, TranscriptFormat } from '../session/transcript.ts';

const asItIs = (): AnswerFormatter => ({
  write: (text) => text,
  end: () => '',
  undecided: () => '',
});

/**
 * Labelled lines without escape codes, for screen readers and dumb terminals. The terminal has echoed typed prompts
 * already; only queued, repeated and generated ones are written.
 */
export const lineFormat: TranscriptFormat = {
  prompt: (text, isEarlier) => (isEarlier ? `You: ${sanitize(text)}\n` : ''),
  command: (text, isEarlier) => (isEarlier ? `You: ${sanitize(text)}\n` : ''),
  reasoningHead: 'reasoning: ',
  reasoning: (text) => text,
  answerHead: (model) => `${sanitizeLine(model ?? 'answer')}: `,
  answerText: asItIs,
  // Tables start on their own line: behind the label the first line's columns would not align.
  notice: (text) => `natter:${text.includes('\n') ? '\n' : ' '}${sanitize(text)}\n`,
  failure: (message, hint) =>
    `natter: ${sanitizeLine(message)}\n${hint === undefined ? '' : `  ${sanitizeLine(hint)}\n`}`,
  separator: '',
};

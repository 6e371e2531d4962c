import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import type { TextTransform, TranscriptFormat } from '../session/transcript.ts';

const asItIs = (): TextTransform => ({ write: (text) => text, end: () => '', held: () => '' });

/**
 * Labelled lines without any escape, for screen readers and dumb terminals. Prompts stand where they were typed, but
 * for those that are shown again, that waited, or that nobody typed.
 */
export const lineFormat: TranscriptFormat = {
  prompt: (text, isEarlier) => (isEarlier ? `You: ${sanitize(text)}\n` : ''),
  command: (text, isEarlier) => (isEarlier ? `You: ${sanitize(text)}\n` : ''),
  reasoningHead: 'reasoning: ',
  reasoning: (text) => text,
  answerHead: (model) => `${sanitizeLine(model ?? 'answer')}: `,
  answerText: asItIs,
  // Columns of several lines would not stand below those of a first line behind the label.
  notice: (text) => `natter:${text.includes('\n') ? '\n' : ' '}${sanitize(text)}\n`,
  failure: (message, hint) =>
    `natter: ${sanitizeLine(message)}\n${hint === undefined ? '' : `  ${sanitizeLine(hint)}\n`}`,
  separator: '',
};

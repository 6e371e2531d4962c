import { sanitize, sanitizeLine } from '../../terminal/safety/sanitizer.ts';
import { hangText } from '../../terminal/text/rows.ts';
import type { AnswerFormatter, TranscriptFormat } from '../transcript/transcript.ts';

/** A notice for a screen reader: without symbols that it skips or reads as their names. */
function inWords(text: string): string {
  return text
    .replaceAll(' · ', ', ')
    .replaceAll(/[~≈] ?(?=\d)/g, 'about ')
    .replaceAll(/\bversion (\d+)\/(\d+)/g, 'version $1 of $2')
    .replaceAll('tokens/s', 'tokens a second');
}

const passThrough = (): AnswerFormatter => ({
  write: (text) => text,
  end: () => '',
  undecided: () => '',
});

/** ` (1 by origin, 2 by nextgen)`. */
const spokenModels = (models: string) =>
  sanitizeLine(models).replaceAll(/(?<=[(,] ?)(\d+) (?=\S)/g, '$1 by ');

/**
 * For screen readers and dumb terminals, with answers as their source. The terminal echoed typed prompts, so only other
 * prompts are written.
 * @param width columns of a row, infinite to leave wrapping to the terminal
 */
export function lineFormat(width: () => number): TranscriptFormat {
  const fit = (text: string) => `${hangText(text, width())}\n`;
  const prompt = (text: string, needsEcho: boolean) =>
    needsEcho ? fit(`You: ${sanitize(text)}`) : '';
  return {
    prompt,
    command: prompt,
    reasoningHead: 'reasoning: ',
    reasoning: (text) => text,
    reasoningWidth: width,
    answerHead: (model) => `${sanitizeLine(model ?? 'answer')}: `,
    answerText: passThrough,
    closing: ({ version, models }) =>
      version === undefined
        ? ''
        : fit(`natter: this is ${inWords(version)}${spokenModels(models)}; /version switches`),
    welcome: () => '',
    // Tables start on a separate line: after the label, the first line's columns would not align.
    notice: (text) => fit(`natter:${text.includes('\n') ? '\n' : ' '}${inWords(sanitize(text))}`),
    failure: (message, hint) =>
      fit(`natter: ${inWords(sanitizeLine(message))}`) +
      (hint === undefined ? '' : fit(`  ${sanitizeLine(hint)}`)),
    separator: '',
  };
}

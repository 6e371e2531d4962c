import { Failure } from '../../failure.ts';
import { sanitize } from '../../terminal/safety/sanitizer.ts';

/** The content of the first code block; an answer may end in it. */
const fence = /^[ \t]*(?:```|~~~)[^\n]*\n(?<code>[^]*?)(?:^[ \t]*(?:```|~~~)[ \t]*$|(?![^]))/m;

const inlineCode = /^`(?<code>[^`\n]+)`$/;

/** Line ends after which a command continues: an operator, a keyword, an opening bracket. */
const openEnd = /(?:\\|\||&&|\|\||[{([]|\b(?:do|then|else|in|begin))$/;
/** Lines that only continue a command: an operator, a keyword, a closing bracket. */
const continued = /^(?:\||&&|\|\||done\b|fi\b|esac\b|end\b|else\b|elif\b|[)}\]])/;

/** Whether the lines are clearly one command, and not an explanation with a command in it. */
function isOneCommand(lines: readonly string[]): boolean {
  if (lines.length <= 1 || lines.some((line) => line.includes('<<'))) return true;
  const last = lines.length - 1;
  const opens = lines.some((line, index) => index < last && openEnd.test(line.trimEnd()));
  return opens || lines.slice(1).some((line) => continued.test(line.trimStart()));
}

/** Characters; a longer answer is not a command. */
export const maxLength = 8_000;

export function refuse(problem: string): Failure {
  return new Failure('no_answer', `the answer is not a command: ${problem}`, {
    hint: 'describe it in other words',
  });
}

/** A prompt of a shell before the command, as in documentation. */
const withoutPrompt = (line: string) => line.replace(/^[$>%] (?=\S)/, '');

/**
 * The command in an answer, as text for a command line: no code fence, no control or hidden characters, tabs as spaces.
 * A line end remains only in a code block and in what is clearly one command.
 * @throws Failure `no_answer` for an answer without a command
 */
export function commandOf(answer: string): string {
  if (answer.length > maxLength) throw refuse('it is too long');
  const text = sanitize(answer).replaceAll('\t', '    ').trim();
  const block = fence.exec(text)?.groups?.['code'];
  const code = block ?? inlineCode.exec(text)?.groups?.['code'] ?? text;
  const lines = code
    .replace(/^\n+|\s+$/g, '')
    .split('\n')
    .map((line) => line.trimEnd());
  if (lines.join('') === '') throw refuse('it is empty');
  if (block === undefined && !isOneCommand(lines)) throw refuse(`it has ${lines.length} lines`);
  return lines.length === 1 ? withoutPrompt(lines[0]?.trim() ?? '') : lines.join('\n');
}

import { wrapText } from '../../terminal/text/wrap.ts';

/** Maximum length of the tail that is wrapped; only its last rows are shown. */
const longestTail = 4000;

/** The rows of a text styled line by line, wrapped as the terminal wraps it. For a long text, only the last rows. */
export function wrapTail(text: string, columns: number): string[] {
  return wrapText(lastLines(text).replaceAll('\t', '    '), columns, 'characters');
}

function lastLines(text: string): string {
  const end = text.slice(-longestTail);
  return text.length > longestTail ? end.slice(end.indexOf('\n') + 1) : end;
}

import { Marked, type Token } from 'marked';
import { Failure } from '../failure.ts';

export interface CodeBlock {
  /** The lines with their ends, without fences and without the markers of lists and quotes. */
  readonly code: string;
  /** The first word beside the fence; null without one. */
  readonly language: string | null;
  /** Two around a block, one if the text ends in it, none for indented code. */
  readonly fences: 0 | 1 | 2;
}

/**
 * The end of a line of the answer that marked shows as `shown`. In a list, that has spaces for the tabs at its start: as
 * many as fill the columns up to the next multiple of four.
 */
function endOfLine(line: string, shown: string): string {
  if (line.endsWith(shown)) return shown;
  const text = shown.replace(/^ +/, '');
  const before = line.slice(0, line.length - text.length).replace(/^(?: {0,3}> ?)+/, '');
  const blanks = /[ \t]*$/.exec(before)?.[0] ?? '';
  let column = 0;
  const columns = Array.from(blanks, (blank) => (column += blank === '\t' ? 4 - (column % 4) : 1));
  const start = [0, ...columns].indexOf(column - (shown.length - text.length));
  return start < 0 ? shown : blanks.slice(start) + text;
}

/** Finds the lines of blocks in an answer, one block after the other: marked changes line ends, and tabs in lists. */
function createLineFinder(markdown: string) {
  const lines = markdown.split(/(?<=\n|\r(?!\n))/);
  const trimmed = lines.map((line) => line.trimEnd());
  let next = 0;
  /** @param block its lines, with fences @param code the lines of its code. Both as marked shows them. */
  return (block: readonly string[], code: readonly string[]): readonly string[] => {
    const parts = block.map((line) => line.trim());
    const isAt = (start: number) =>
      parts.every((part, at) => trimmed[start + at]?.endsWith(part) === true);
    let start = next;
    while (start < lines.length && !isAt(start)) start += 1;
    next = start === lines.length ? next : start + block.length;
    return code.map((shown, at) => {
      const line = lines[start + 1 + at] ?? '\n';
      const end = /[\r\n]*$/.exec(line)?.[0] ?? '';
      return endOfLine(line.slice(0, line.length - end.length), shown) + end;
    });
  };
}

const fence = /^(?<indent> {0,3})(?<marks>`{3,}|~{3,})(?<info>.*)/;

/** Finds the code blocks of a Markdown text, those in lists and quotes included. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: CodeBlock[] = [];
  const linesOf = createLineFinder(markdown);
  const collect = (token: Token) => {
    if (token.type !== 'code' || typeof token['text'] !== 'string') return;
    const lines = token.raw.trimEnd().split('\n');
    const { indent = '', marks } = fence.exec(lines[0] ?? '')?.groups ?? {};
    const last = fence.exec(lines.slice(1).at(-1) ?? '')?.groups ?? {};
    const isFenced = token['codeBlockStyle'] !== 'indented' && marks !== undefined;
    const isClosed = isFenced && last['info'] === '' && last['marks']?.startsWith(marks) === true;
    const indentation = new RegExp(`^ {0,${indent.length}}`);
    const shown = lines.slice(1, -1).map((line) => line.replace(indentation, ''));
    blocks.push({
      code: isClosed ? linesOf(lines, shown).join('') : `${token['text']}\n`,
      language: /^\S+/.exec(String(token['lang'] ?? ''))?.[0] ?? null,
      fences: isClosed ? 2 : (Number(isFenced) as 0 | 1),
    });
  };
  const reader = new Marked();
  void reader.walkTokens(reader.lexer(markdown), collect);
  return blocks;
}

/** Reads the value of `--extract`. @throws Failure `usage` for anything but a number from 1, and `last` */
export function parseExtract(value: string): number | 'last' {
  const text = value.replace(/^=/, '');
  if (text === 'last') return text;
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Failure('usage', `--extract must be 1 or more, or last, not "${text}"`, {
    hint: 'put the prompt first, or in quotes: ‹natter -x "a command that lists files"›',
  });
}

/**
 * Finds the block in fences that `--extract` asks for.
 * @returns the block, or what the answer has instead, as a predicate: `has no code block`
 */
export function extractBlock(answer: string, wanted: number | 'last'): CodeBlock | string {
  const blocks = codeBlocks(answer).filter(({ fences }) => fences > 0);
  const found = wanted === 'last' ? blocks.at(-1) : blocks[wanted - 1];
  if (found?.fences === 2) return found;
  if (found !== undefined) return 'has a code block without its closing fence';
  if (blocks.length === 0) return 'has no code block';
  return `has ${blocks.length} code block${blocks.length === 1 ? '' : 's'}, not ${wanted}`;
}

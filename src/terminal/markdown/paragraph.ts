import { isWide } from '../text/width.ts';

/** An open mark that may still be closed. */
interface Opener {
  readonly character: string;
  /** Number of marks still open; 1 for a bracket. */
  length: number;
  /** The run could also have closed something, for CommonMark's rule of three. */
  readonly both: boolean;
  position: number;
  /** Start of its word; the text before can be emitted. */
  wordStart: number;
}

/** A range from the first character to the one after the last. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** Reads a piece of inline Markdown that can be read alone; without `formulas` it is plain text. */
export type ReadPiece<Part> = (
  text: string,
  formulas: readonly Place[] | undefined,
) => readonly Part[];

/** White space, marks, and characters of scripts without spaces. */
const meaningful = /[ \t\n\\`*_~[\]<&@/.$\u2e80-\uffff]/;

const isSpace = (character: string) => character === '' || /\s/.test(character);
const isPunctuation = (character: string) => /[\p{P}\p{S}]/u.test(character);

/**
 * Inline Markdown of one paragraph, which arrives in any parts. It is split into pieces that can be read alone. The
 * pieces depend only on the text, not on the parts it arrived in.
 */
export class Paragraph<Part> {
  readonly #read: ReadPiece<Part>;
  /** White space at the end of the line, shown only if something follows. */
  #trail = '';
  /** A line break that nothing has followed yet. */
  #lineBreak = '';
  endedLines = 0;
  /** The source of the first line, which may be the header of a table. */
  firstLine = '';

  /** Positions are indexes in its text. */
  #source: Source = { text: '', isEnded: false };
  /** Start of the undecided piece. */
  #start = 0;
  #position = 0;
  /** Start of the current word; a wide character is a word. */
  #wordStart = 0;
  #openers: Opener[] = [];
  /** Mathematics in the undecided piece. */
  #formulas: Place[] = [];
  /** Indexes up to which these ends do not occur. Without them, hostile text is searched again at each opening. */
  readonly #searched: Record<FormulaEnd, number> = { $: 0, $$: 0, '\\)': 0, '\\]': 0 };
  /** A displayed formula (`$$`, `\[`) may be open; the next line then belongs to it. */
  isInFormula = false;
  /** The undecided piece has Markdown. */
  #isSpecial = false;
  /** The word may be a bare link, which ends only at a space. */
  #isLink = false;
  /** The parts of decided pieces that are not taken yet. */
  #parts: Part[] = [];

  constructor(read: ReadPiece<Part>) {
    this.#read = read;
  }

  /** The parts of a whole text. */
  whole(source: string): Part[] {
    return [...this.#add(source), ...this.end()];
  }

  /** Takes a part of the current line, without its indentation. @returns the parts that further text can no longer change */
  write(text: string): Part[] {
    if (this.endedLines === 0) this.firstLine += text;
    // A pattern for the end would be tried at each space, which takes quadratic time.
    let end = text.length;
    while (end > 0 && /[ \t]/.test(text.charAt(end - 1))) end -= 1;
    if (end === 0) {
      this.#trail += text;
      return [];
    }
    const before = this.#lineBreak + this.#trail;
    this.#trail = text.slice(end);
    this.#lineBreak = '';
    return this.#add(before + text.slice(0, end));
  }

  endLine(): void {
    this.#lineBreak = '\n';
    this.#trail = '';
    this.endedLines += 1;
  }

  /** The rest, in which open marks are literal. */
  end(): Part[] {
    this.#source = { ...this.#source, isEnded: true };
    this.#scan();
    this.#decide(this.#source.text.length);
    return this.#take();
  }

  undecided(): string {
    return this.#source.text.slice(this.#start) + this.#trail;
  }

  /** Its only line has a bar, so it may be a table's header that was written as text. */
  mayBeHeader(): boolean {
    return this.endedLines === 1 && this.firstLine.includes('|');
  }

  #add(text: string): Part[] {
    this.#forget();
    this.#source = { text: this.#source.text + text, isEnded: false };
    this.isInFormula = false;
    this.#scan();
    return this.#take();
  }

  #take(): Part[] {
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  /** Discards decided text but its last character, and not at every call, because the places of marks change. */
  #forget(): void {
    const length = this.#start - 1;
    if (length < maxSpan) return;
    this.#source = { text: this.#source.text.slice(length), isEnded: false };
    this.#start = 1;
    this.#position -= length;
    this.#wordStart -= length;
    for (const opener of this.#openers) {
      opener.position -= length;
      opener.wordStart -= length;
    }
    this.#formulas = this.#formulas.map(({ from, to }) => {
      return { from: from - length, to: to - length };
    });
    this.#searched['\\)'] -= length;
    this.#searched['\\]'] -= length;
  }

  /** Starts a new word: the text before it is decided, unless a mark is open. */
  #beginWord(position: number): void {
    const openers = this.#openers;
    while (openers[0] && position - openers[0].position > maxSpan) openers.shift();
    this.#wordStart = position;
    this.#decide(openers[0]?.wordStart ?? position);
  }

  #decide(to: number): void {
    const from = this.#start;
    if (to <= from) return;
    const inside = this.#formulas.filter((formula) => formula.from < to);
    this.#formulas = this.#formulas.slice(inside.length);
    const formulas = inside.map((place) => ({ from: place.from - from, to: place.to - from }));
    const piece = this.#source.text.slice(from, to);
    this.#parts.push(...this.#read(piece, this.#isSpecial ? formulas : undefined));
    this.#start = to;
    if (to === this.#wordStart) this.#isSpecial = false;
  }

  #scan(): void {
    const { text } = this.#source;
    let hasEnough = true;
    while (hasEnough && this.#position < text.length) {
      if (this.#position >= this.#wordStart + maxSpan) {
        const isInPair = /[\ud800-\udbff]/.test(text.charAt(this.#position - 1));
        this.#beginWord(this.#position - Number(isInPair));
      }
      const end = Math.min(text.length, this.#wordStart + maxSpan);
      const found = text.slice(this.#position, end).search(meaningful);
      this.#position = found === -1 ? end : this.#position + found;
      hasEnough = found === -1 || this.#readCharacter(text.charAt(this.#position));
    }
  }

  /** Reads a character that may be a mark. @returns false if more text is needed */
  #readCharacter(character: string): boolean {
    const position = this.#position;
    switch (character) {
      case ' ':
      case '\t':
      case '\n':
        this.#beginWord(position);
        this.#isLink = false;
        break;
      case '&':
        this.#isSpecial = true;
        break;
      case '\\':
        return this.#readBackslash();
      case '$':
        return this.#readDollar();
      case '`':
      case '*':
      case '_':
      case '~':
        return this.#readRun(character);
      case '[':
        this.#open(character, 1, false, position);
        break;
      case ']':
        return this.#readClosingBracket();
      case '<':
        return this.#readAngle();
      case '@':
      case '/':
      case '.':
        if (isLinkPart(this.#source.text, position)) this.#isSpecial = this.#isLink = true;
        break;
      default:
        if (isWide(character) && !this.#isLink) this.#beginWord(position);
    }
    this.#position += 1;
    return true;
  }

  #open(character: string, length: number, both: boolean, position: number): void {
    this.#openers.push({ character, length, both, position, wordStart: this.#wordStart });
  }

  /** Continues after the end, or, as the opening is text without one, at `from`. @returns false if more text is needed */
  #enclose(from: number, end: End): boolean {
    if (end === undefined) return false;
    this.#position = end === -1 ? from : end;
    this.#isSpecial ||= end !== -1;
    return true;
  }

  /** The next character is text, or starts mathematics. */
  #readBackslash(): boolean {
    this.#isSpecial = true;
    if (needsMore(this.#source, this.#position + 1)) return false;
    const next = this.#source.text[this.#position + 1];
    if (next === '(') return this.#readFormula('\\)');
    if (next === '[') return this.#readFormula('\\]');
    this.#position += 2;
    if (next === '\n') this.#isLink = false;
    return true;
  }

  #readDollar(): boolean {
    const after = this.#position + 1;
    if (needsMore(this.#source, after)) return false;
    const next = this.#source.text.charAt(after);
    if (!this.#isLink && next === '$') return this.#readFormula('$$');
    if (!this.#isLink && !isSpace(next)) return this.#readFormula('$');
    this.#position = after;
    return true;
  }

  #readFormula(close: FormulaEnd): boolean {
    const from = this.#position;
    const start = from + close.length;
    const to = endOfFormula(this.#source, start, close, this.#searched[close]);
    if (to === -1) this.#searched[close] = start + maxSpan;
    this.isInFormula = to === undefined && (close === '$$' || close === '\\]');
    if (to !== undefined && to > 0) this.#formulas.push({ from, to });
    return this.#enclose(start, to);
  }

  #readClosingBracket(): boolean {
    const after = this.#position + 1;
    if (needsMore(this.#source, after)) return false;
    const openers = this.#openers;
    const index = openers.findLastIndex(({ character }) => character === '[');
    if (index !== -1 && this.#source.text[after] === '(') {
      const end = endOfAddress(this.#source, after + 1);
      if (end !== undefined) openers.length = index;
      return this.#enclose(after + 1, end);
    }
    if (index !== -1) openers.splice(index, 1);
    this.#position = after;
    return true;
  }

  #readAngle(): boolean {
    const after = this.#position + 1;
    if (needsMore(this.#source, after)) return false;
    const isTag = /[a-zA-Z/!?]/.test(this.#source.text.charAt(after));
    const endOf = (found: string, end: number) => (found === '>' ? end : -1);
    return this.#enclose(after, isTag ? search(this.#source, after, /[<>]/g, endOf) : -1);
  }

  #readRun(character: string): boolean {
    const position = this.#position;
    const { text } = this.#source;
    // A run over 100 is read as several.
    let after = position + 1;
    while (after - position < 100 && text[after] === character) after += 1;
    if (needsMore(this.#source, after)) return false;
    const before = text.charAt(position - 1);
    if (isWide(before) && !this.#isLink) this.#beginWord(position);
    const length = after - position;
    if (character === '`') {
      const end = search(this.#source, after, /`{1,100}/g, (run, next) => {
        if (needsMore(this.#source, next)) return undefined;
        return run.length === length ? next : 'further';
      });
      return this.#enclose(after, end);
    }
    this.#position = after;
    if (character !== '~' || length === 2) {
      this.#readEmphasis(character, length, before, text.charAt(after));
    }
    return true;
  }

  /**
   * Emphasis (CommonMark 6.2), close enough to know which marks are still open; the lexer decides what they mean. Text in
   * scripts without spaces may follow a closing mark directly.
   */
  #readEmphasis(character: string, length: number, before: string, after: string): void {
    const markBefore = isPunctuation(before);
    const markAfter = isPunctuation(after);
    const left = !isSpace(after) && (!markAfter || isSpace(before) || markBefore || isWide(before));
    const right = !isSpace(before) && (!markBefore || isSpace(after) || markAfter || isWide(after));
    const isUnderscore = character === '_';
    const canOpen = left && (!isUnderscore || !right || markBefore);
    const canClose = right && (!isUnderscore || !left || markAfter);
    const rest = canClose ? this.#close(character, length, canOpen) : length;
    if (rest > 0 && canOpen) this.#open(character, rest, canClose, this.#position - length);
    if (rest < length) this.#isSpecial = true;
  }

  /** Closes the openers that the run can close, and drops those in between. @returns the marks that are left */
  #close(character: string, length: number, both: boolean): number {
    const openers = this.#openers;
    let rest = length;
    for (let index = openers.length - 1; index >= 0 && rest > 0; index -= 1) {
      const opener = openers[index];
      if (opener?.character !== character) continue;
      const three = (opener.both || both) && (opener.length + rest) % 3 === 0 && rest % 3 !== 0;
      if (three) continue;
      const used = Math.min(2, opener.length, rest);
      openers.length = index + 1;
      opener.length -= used;
      rest -= used;
      if (opener.length === 0) openers.pop();
      else index += 1;
    }
    return rest;
  }
}

/** Whether `@`, `://` or `www.` at this position makes the word a link. */
function isLinkPart(text: string, position: number): boolean {
  const character = text.charAt(position);
  if (character === '/') return text.startsWith('://', position - 2);
  return character === '@' || /^www\.$/i.test(text.slice(position - 3, position + 1));
}

// The ends of what inline Markdown reads as a whole: code spans, tags, addresses of links and formulas. Other marks have
// no meaning in them.

/** The text of a paragraph so far. */
interface Source {
  readonly text: string;
  /** No text follows. */
  readonly isEnded: boolean;
}

/** The index after the end; -1 if there is none, undefined if more text is needed. */
type End = number | undefined;

/** Maximum UTF-16 units between an open mark and its end; beyond it, the mark is literal. */
const maxSpan = 1000;

/** Whether the character at this index is still to come. */
function needsMore({ text, isEnded }: Source, index: number): boolean {
  return index >= text.length && !isEnded;
}

/**
 * @param endOf takes each match and the index after it
 * @param start where the search begins, if the text before has no end
 */
function search(
  source: Source,
  from: number,
  pattern: RegExp,
  endOf: (found: string, after: number) => End | 'further',
  most = maxSpan,
  start = from,
): End {
  const { text, isEnded } = source;
  for (const { 0: found, index } of text.slice(start, from + most + 1).matchAll(pattern)) {
    const end = endOf(found, start + index + found.length);
    if (end !== 'further') return end;
  }
  return isEnded || text.length - from > most ? -1 : undefined;
}

/** Real addresses do not nest parentheses deeper. Without a limit, hostile text takes quadratic time. */
const maxDepth = 8;

function endOfAddress(source: Source, from: number): End {
  let depth = 1;
  return search(source, from, /[()]|\\[^]?/g, (found, after) => {
    if (found === '(') depth += 1;
    if (found === ')') depth -= 1;
    if (depth > maxDepth) return -1;
    return depth === 0 ? after : 'further';
  });
}

type FormulaEnd = '$' | '$$' | '\\)' | '\\]';

/** UTF-16 units after which a dollar without an end is text. */
const maxDollars = 400;
const proseWord = /^\p{L}{2,}[.,;:!?)'"]*$/u;
const mathematicalWord =
  /^(?:sin|cos|tan|cot|log|ln|exp|max|min|sup|inf|lim|det|dim|gcd|mod|div|if|Var|Cov|Pr)\b/;

/**
 * The end of mathematics in running text: `\(…\)`, `\[…\]`, `$$…$$`, and `$…$` by pandoc's rule (no space after the first
 * dollar or before the second, and no digit after that). Most dollars are amounts of money, or variables of a shell: a
 * word of prose, or a letter after the second dollar, shows that it is no formula.
 * @param searched the index up to which the text has no `close`; it has no effect on dollars
 */
function endOfFormula(source: Source, from: number, close: FormulaEnd, searched: number): End {
  const { text } = source;
  const hasDollars = close.startsWith('$');
  let depth = 0;
  let word = from;
  const endOf = (found: string, after: number): End | 'further' => {
    const at = after - found.length;
    if (found.startsWith('\\')) {
      if (needsMore(source, at + 1)) return undefined;
      return found === close ? after : 'further';
    }
    if (found === '$') return hasDollars ? endAtDollar(source, close, at) : 'further';
    if (found === '{') depth += 1;
    else if (found === '}') depth -= 1;
    else {
      // The only words in a formula in dollars are names of functions, except at its start and in braces.
      const before = text.slice(word, at);
      const isProse = proseWord.test(before) && !mathematicalWord.test(before);
      if (isProse && hasDollars && depth <= 0 && word > from) return -1;
      word = after;
    }
    return 'further';
  };
  const most = close === '$' ? maxDollars : maxSpan;
  const start = hasDollars ? from : Math.max(from, searched);
  return search(source, from, /\\[^]?|[${} \t\n]/g, endOf, most, start);
}

/** The ends of words that may follow a formula: the $n$th. */
const wordEnd = /^(?:th|st|nd|rd|s)(?![\p{L}\p{N}])/u;

function endAtDollar(source: Source, close: FormulaEnd, at: number): End | 'further' {
  if (needsMore(source, at + 1)) return undefined;
  const { text } = source;
  const next = text.charAt(at + 1);
  if (close === '$$') return next === '$' ? at + 2 : 'further';
  if (/\s/.test(text.charAt(at - 1))) return -1;
  const isFollowed = /[\p{L}\p{N}_{]/u.test(next) && !isWide(next);
  if (isFollowed && needsMore(source, at + 3)) return undefined;
  return !isFollowed || wordEnd.test(text.slice(at + 1, at + 4)) ? at + 1 : -1;
}

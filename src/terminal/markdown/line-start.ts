/**
 * Leading white space, in columns (with tab stops of four) and in characters.
 * @param column the position of the text in its line, for tab stops
 */
function indentation(text: string, column: number) {
  let columns = 0;
  let length = 0;
  for (; text[length] === ' ' || text[length] === '\t'; length += 1) {
    columns += text[length] === ' ' ? 1 : 4 - ((column + columns) % 4);
  }
  return { columns, length };
}

/** The text without `columns` of its indentation; the rest of a tab becomes spaces. */
export function dedent(text: string, column: number, columns: number): string {
  let removed = 0;
  let index = 0;
  while (removed < columns && (text[index] === ' ' || text[index] === '\t')) {
    removed += text[index] === ' ' ? 1 : 4 - ((column + removed) % 4);
    index += 1;
  }
  return ' '.repeat(Math.max(0, removed - columns)) + text.slice(index);
}

/** The kind of a line within its quotes and lists. */
type LineKind =
  | 'blank'
  | 'text'
  | 'heading'
  | 'rule'
  | 'fence'
  | 'indented'
  | 'row'
  | 'delimiter'
  | 'underline'
  | 'definition'
  | 'code'
  | 'closing-fence'
  | 'formula';

/** The block that the line before is in; `none` between blocks. */
type LeafKind = 'none' | 'paragraph' | 'fence' | 'indented' | 'formula' | 'table';

/** What is open before the line, which changes what the line means. */
interface OpenLeaf {
  readonly kind: LeafKind;
  /** The mark of the open code fence. */
  readonly fence: string | undefined;
  /** The previous line may be a table's header. */
  readonly headerBefore: boolean;
  /** The paragraph has an open displayed formula. */
  readonly inFormula: boolean;
}

/** A table's second row: dashes, colons and at least one bar. */
const delimiterRow = /^(?=[^|]*\|)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

/** Undefined while more of the line could change the kind. `complete`: this is the whole line. */
function recognizeLine(text: string, complete: boolean, open: OpenLeaf): LineKind | undefined {
  if (open.inFormula) return 'text';
  if (open.headerBefore && /^[-:| \t]+$/.test(text)) {
    if (!complete) return undefined;
    if (delimiterRow.test(text)) return 'delimiter';
  }
  const kind = recognizeStart(text, complete, open);
  if (kind !== 'text' || open.kind !== 'table') return kind;
  if (!complete) return undefined;
  return text.includes('|') ? 'row' : 'text';
}

const lineStarts = [
  ['heading', /^#{1,6}(?:[ \t]|$)/],
  ['fence', /^(?:`{3,}[^`]*$|~{3})/],
  ['row', /^\|/],
  ['definition', /^\[[^\]]+\]:/],
] as const;
/** More of the line can make it one of them, or text. */
const perhapsLineStart = /^(?:#{1,6}|`{1,2}|`{3,}[^`]*|~{1,2}|\[[^\]]*\]?)$/;

function recognizeStart(text: string, complete: boolean, open: OpenLeaf): LineKind | undefined {
  if (/^[$\\]/.test(text)) return recognizeFormula(text, complete);
  const isUnderline = open.kind === 'paragraph' && /^=+[ \t]*$/.test(text);
  if (!complete && (isUnderline || perhapsLineStart.test(text))) return undefined;
  if (isUnderline) return 'underline';
  return lineStarts.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text';
}

function recognizeFormula(text: string, complete: boolean): LineKind | undefined {
  if (!complete && /^(?:\$|\\(?:b(?:e(?:g(?:i(?:n(?:\{[a-zA-Z*]*)?)?)?)?)?)?)$/.test(text))
    return undefined;
  const close = formulaEnd(text);
  if (close === undefined) return 'text';
  if (!complete) return undefined;
  const end = text.indexOf(close, 2);
  return end === -1 || /^[ \t.,;:]*$/.test(text.slice(end + close.length)) ? 'formula' : 'text';
}

/** The end of the displayed formula that the line starts with; undefined if it starts with none. */
export function formulaEnd(text: string): string | undefined {
  if (text.startsWith('$$')) return '$$';
  if (text.startsWith('\\[')) return '\\]';
  const name = /^\\begin\{([a-zA-Z]+\*?)\}/.exec(text)?.[1];
  return name === undefined ? undefined : `\\end{${name}}`;
}

const closingFence = /^ {0,3}(`+|~+)[ \t]*$/;

/** Whether a line closes the fence with this mark: it has at least as many of the same character. */
function closesFence(mark: string, line: string): boolean {
  return closingFence.exec(line)?.[1]?.startsWith(mark) ?? false;
}

/** A list item: its marker as written, and the indentation of its content in columns. */
export interface Item {
  readonly kind: 'item';
  readonly marker: string;
  readonly indent: number;
  shown: boolean;
  task?: 'done' | 'open';
}

/** A block quote, or a list item. */
export type Container = { readonly kind: 'quote' } | Item;

/** How a line starts: how many open containers it continues, which it opens, and the rest of the line. */
export interface LineStart {
  readonly continued: number;
  readonly opened: readonly Container[];
  readonly kind: LineKind;
  readonly rest: string;
  /** Column of the rest in the line, for tab stops. */
  readonly column: number;
}

export interface LineContext {
  readonly text: string;
  readonly complete: boolean;
  readonly containers: readonly Container[];
  readonly open: OpenLeaf;
}

/** Deeper nesting is text. Only hostile documents have it. */
const MAX_DEPTH = 12;

interface Cursor {
  text: string;
  column: number;
}

function consume(cursor: Cursor, columns: number): void {
  cursor.text = dedent(cursor.text, cursor.column, columns);
  cursor.column += columns;
}

const listMarker = /^(?:([-*+])|(\d{1,9})[.)])(?=[ \t]|$)/;
const perhapsListMarker = /^(?:[-*+]|\d{1,9}[.)]?)$/;
const perhapsContainer = /^[-*_+>\d]/;
const perhapsRule = /^(?:(?:-[ \t]*)+|(?:\*[ \t]*)+|(?:_[ \t]*)+)$/;
const rule = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;

/**
 * Reads the start of a line (CommonMark 5); undefined while more of the line could change the result. Models write
 * two things that CommonMark reads differently: a bullet indented by two columns is inside a numbered item, and a
 * fence outside the list closes the code inside it.
 */
export function readLineStart(line: LineContext): LineStart | undefined {
  const cursor = { text: line.text, column: 0 };
  const continued = continueContainers(line, cursor);
  if (continued === undefined) return undefined;
  const whole = continued === line.containers.length;
  const { kind, fence } = line.open;
  if (whole && (kind === 'fence' || kind === 'formula')) {
    return readInside(line, cursor, continued);
  }
  if (fence !== undefined && line.complete && closesFence(fence, cursor.text)) {
    const all = line.containers.length;
    return { continued: all, opened: [], kind: 'closing-fence', rest: '', column: 0 };
  }
  return readNew(line, cursor, continued);
}

function continueContainers(line: LineContext, cursor: Cursor): number | undefined {
  const { containers, complete } = line;
  for (const [index, container] of containers.entries()) {
    const indent = indentation(cursor.text, cursor.column);
    const bare = cursor.text.slice(indent.length);
    if (container.kind === 'item') {
      if (indent.columns >= container.indent) consume(cursor, container.indent);
      else if (bare === '' && !complete) return undefined;
      else if (bare !== '') {
        const last = index === containers.length - 1;
        const nested = last && indent.columns >= 2 && line.open.kind !== 'fence';
        if (nested && !complete && perhapsListMarker.test(bare)) return undefined;
        if (!nested || !listMarker.test(bare) || perhapsRule.test(bare)) return index;
        consume(cursor, indent.columns);
      }
    } else {
      if (bare === '' && !complete) return undefined;
      if (indent.columns > 3 || bare[0] !== '>') return index;
      if (bare === '>' && !complete) return undefined;
      consumeQuote(cursor, indent.columns);
    }
  }
  return containers.length;
}

function consumeQuote(cursor: Cursor, indent: number): void {
  consume(cursor, indent);
  cursor.text = cursor.text.slice(1);
  cursor.column += 1;
  if (/^[ \t]/.test(cursor.text)) consume(cursor, 1);
}

/** A line of a code block, or of a formula. */
function readInside(line: LineContext, cursor: Cursor, continued: number): LineStart | undefined {
  const { open, complete } = line;
  const start = { continued, opened: [], rest: cursor.text, column: cursor.column };
  if (open.fence !== undefined) {
    const closes = complete && closesFence(open.fence, cursor.text);
    return { ...start, kind: closes ? 'closing-fence' : 'code' };
  }
  if (!complete) return undefined;
  const kind = recognizeLine(cursor.text, complete, open);
  // A heading or a code fence ends a formula without an end, which would otherwise contain the rest of the answer.
  return { ...start, kind: kind === 'heading' || kind === 'fence' ? kind : 'formula' };
}

function readNew(line: LineContext, cursor: Cursor, continued: number): LineStart | undefined {
  const { complete } = line;
  const opened: Container[] = [];
  for (;;) {
    const { columns, length } = indentation(cursor.text, cursor.column);
    const rest = cursor.text.slice(length);
    const column = cursor.column + columns;
    const open = openFor(line, continued, opened.length);
    if (rest === '')
      return complete ? { continued, opened, kind: 'blank', rest, column } : undefined;
    if (columns > 3) {
      if (open.kind === 'paragraph') return { continued, opened, kind: 'text', rest, column };
      const code = dedent(cursor.text, cursor.column, 4);
      return { continued, opened, kind: 'indented', rest: code, column };
    }
    const kind = recognizeLine(rest, complete, open);
    if (kind === undefined || kind === 'delimiter' || continued + opened.length >= MAX_DEPTH) {
      return kind && { continued, opened, kind, rest, column };
    }
    if (open.inFormula || !perhapsContainer.test(rest)) {
      return { continued, opened, kind, rest, column };
    }
    if (perhapsRule.test(rest)) {
      if (!complete) return undefined;
      if (rule.test(rest)) return { continued, opened, kind: 'rule', rest, column };
    }
    const interrupts = open.kind === 'paragraph' && continued === line.containers.length;
    const container = readContainer(cursor, rest, columns, complete, interrupts);
    if (container === 'undecided') return undefined;
    if (container === 'none') return { continued, opened, kind, rest, column };
    opened.push(container);
  }
}

/** What is open for the rest of the line: lazy text can continue only a paragraph. */
function openFor({ open, containers }: LineContext, continued: number, opened: number): OpenLeaf {
  if (opened === 0 && continued === containers.length) return open;
  const lazy = opened === 0 && open.kind === 'paragraph';
  const kind = lazy ? 'paragraph' : 'none';
  return { kind, fence: undefined, headerBefore: false, inFormula: false };
}

/** @param interrupts it would interrupt a paragraph: then an item must have text, and a number must be 1 */
function readContainer(
  cursor: Cursor,
  rest: string,
  columns: number,
  complete: boolean,
  interrupts: boolean,
): Container | 'none' | 'undecided' {
  if (rest[0] === '>') {
    if (rest === '>' && !complete) return 'undecided';
    consumeQuote(cursor, columns);
    return { kind: 'quote' };
  }
  if (!complete && perhapsListMarker.test(rest)) return 'undecided';
  const marker = listMarker.exec(rest)?.[0];
  if (marker === undefined) return 'none';
  const after = rest.slice(marker.length);
  const empty = after.trim() === '';
  if (empty && !complete) return 'undecided';
  if (interrupts && (empty || !/^(?:\D|1[.)])/.test(marker))) return 'none';
  consume(cursor, columns);
  cursor.text = cursor.text.slice(marker.length);
  cursor.column += marker.length;
  const space = indentation(after, cursor.column).columns;
  const gap = empty || space > 4 ? 1 : space;
  consume(cursor, gap);
  return { kind: 'item', marker, indent: columns + marker.length + gap, shown: false };
}

/**
 * The fence as it is written, the words after it, of which the first is usually the language, and the columns to remove
 * from each line.
 * @param start of kind `fence`
 */
export function readFence({ rest, column }: LineStart, containers: readonly Container[]) {
  const mark = /^(?:`+|~+)/.exec(rest)?.[0] ?? '';
  const around = containers.map((container) => (container.kind === 'item' ? container.indent : 2));
  const indent = around.reduce((left, columns) => left - columns, column);
  return { mark, info: rest.slice(mark.length).trim(), indent };
}

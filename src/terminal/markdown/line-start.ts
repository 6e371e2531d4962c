/**
 * Leading white space, in columns (with tab stops of four) and in characters.
 * @param column the position of the text in its line, for tab stops
 * @param most columns after which the rest is not counted
 */
function indentation(text: string, column: number, most = Number.POSITIVE_INFINITY) {
  let columns = 0;
  let length = 0;
  for (; columns < most && (text[length] === ' ' || text[length] === '\t'); length += 1) {
    columns += text[length] === ' ' ? 1 : 4 - ((column + columns) % 4);
  }
  return { columns, length };
}

/** The text without `columns` of its indentation; the rest of a tab becomes spaces. */
export function dedent(text: string, column: number, columns: number): string {
  const removed = indentation(text, column, columns);
  return ' '.repeat(Math.max(0, removed.columns - columns)) + text.slice(removed.length);
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
  | 'code'
  | 'closing-fence'
  | 'formula';

/** What is open before a line, and changes what the line means. */
interface OpenBlock {
  /** The block that the line before is in; `none` between blocks. */
  readonly kind: 'none' | 'paragraph' | 'fence' | 'indented' | 'formula' | 'table';
  /** The mark of the open code fence. */
  readonly fence: string | undefined;
  /** The previous line may be a table's header. */
  readonly headerBefore: boolean;
  /** The previous line may be the title of a heading. */
  readonly isTitle: boolean;
  /** The paragraph has an open displayed formula. */
  readonly inFormula: boolean;
}

/**
 * Lines that more text can still make a different kind: they have only marks and numbers of lists, or after them the box
 * of a task or the name of an environment.
 */
const undecided =
  /^(?:[ \t>#`~=+*_|:-]|\d{1,9}(?:$|[.)](?=[ \t]|$)))*(?:\$|\[[ xX]?\]?|\\[a-zA-Z]*(?:\{[a-zA-Z*]*)?)?$/;

/** Whether more of the line could change what its start is. */
export function isUndecided(text: string): boolean {
  return undecided.test(text);
}

/** A table's second row: dashes, colons and at least one bar. */
const delimiterRow = /^(?=[^|]*\|)\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

const lineStarts = [
  ['heading', /^#{1,6}(?:[ \t]|$)/],
  ['fence', /^(?:`{3,}[^`]*$|~{3})/],
  ['row', /^\|/],
] as const;

function recognizeStart(text: string): LineKind {
  const close = formulaEnd(text);
  if (close !== undefined) {
    const end = text.indexOf(close, 2);
    const isAlone = end === -1 || /^[ \t.,;:]*$/.test(text.slice(end + close.length));
    return isAlone ? 'formula' : 'text';
  }
  return lineStarts.find(([, pattern]) => pattern.test(text))?.[0] ?? 'text';
}

/** The end of the displayed formula that the line starts with; undefined if it starts with none. */
export function formulaEnd(text: string): string | undefined {
  if (text.startsWith('$$')) return '$$';
  if (text.startsWith('\\[')) return '\\]';
  const name = /^\\begin\{([a-zA-Z]+\*?)\}/.exec(text)?.[1];
  return name === undefined ? undefined : `\\end{${name}}`;
}

const closingFence = /^ {0,3}(`+|~+)[ \t]*$/;

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
const rule = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const perhapsRule = /^(?:(?:-[ \t]*)+|(?:\*[ \t]*)+|(?:_[ \t]*)+)$/;

/**
 * Reads a line, or the start of one that is decided (CommonMark 5). Models write two things that CommonMark reads
 * differently: a bullet indented by two columns is inside a numbered item, and a fence outside the list closes the code
 * inside it.
 */
export function readLineStart(
  text: string,
  containers: readonly Container[],
  open: OpenBlock,
): LineStart {
  const cursor = { text, column: 0 };
  const continued = continueContainers(cursor, containers, open);
  const isInside = continued === containers.length;
  const inside = { continued, opened: [], rest: cursor.text, column: cursor.column };
  if (open.fence !== undefined) {
    // It has at least as many of the same character.
    if (closingFence.exec(cursor.text)?.[1]?.startsWith(open.fence) === true) {
      return { ...inside, continued: containers.length, kind: 'closing-fence' };
    }
    if (isInside) return { ...inside, kind: 'code' };
  }
  if (open.kind !== 'formula' || !isInside) return readNew(cursor, continued, isInside, open);
  const kind = recognizeStart(cursor.text);
  // A heading or a code fence ends a formula without an end, which would otherwise contain the rest of the answer.
  return { ...inside, kind: kind === 'heading' || kind === 'fence' ? kind : 'formula' };
}

/** @returns how many containers the line continues */
function continueContainers(
  cursor: Cursor,
  containers: readonly Container[],
  open: OpenBlock,
): number {
  for (const [index, container] of containers.entries()) {
    const indent = indentation(cursor.text, cursor.column);
    const bare = cursor.text.slice(indent.length);
    if (container.kind === 'quote') {
      if (indent.columns > 3 || bare[0] !== '>') return index;
      consumeQuote(cursor, indent.columns);
    } else if (indent.columns >= container.indent) consume(cursor, container.indent);
    else if (bare !== '') {
      const isLast = index === containers.length - 1;
      const isNested = isLast && indent.columns >= 2 && open.kind !== 'fence';
      if (!isNested || !listMarker.test(bare) || perhapsRule.test(bare)) return index;
      consume(cursor, indent.columns);
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

/** @param isInside the line continues all open containers */
function readNew(cursor: Cursor, continued: number, isInside: boolean, open: OpenBlock): LineStart {
  const opened: Container[] = [];
  for (;;) {
    const { columns, length } = indentation(cursor.text, cursor.column);
    const rest = cursor.text.slice(length);
    const column = cursor.column + columns;
    const start = { continued, opened, rest, column };
    const isFirst = opened.length === 0;
    // Lazy text can continue only a paragraph.
    const isInText = isFirst && open.kind === 'paragraph';
    if (rest === '') return { ...start, kind: 'blank' };
    if (columns > 3) {
      if (isInText) return { ...start, kind: 'text' };
      return { ...start, kind: 'indented', rest: dedent(cursor.text, cursor.column, 4) };
    }
    if (isFirst && isInside && open.inFormula) return { ...start, kind: 'text' };
    if (isFirst && isInside && open.headerBefore && delimiterRow.test(rest)) {
      return { ...start, kind: 'delimiter' };
    }
    const isDeep = continued + opened.length >= MAX_DEPTH;
    if (!isDeep && rule.test(rest)) {
      const isUnderline = isFirst && isInside && open.isTitle && /^-+[ \t]*$/.test(rest);
      return { ...start, kind: isUnderline ? 'underline' : 'rule' };
    }
    const container = isDeep
      ? undefined
      : readContainer(cursor, rest, columns, isInText && isInside);
    if (container !== undefined) opened.push(container);
    else {
      if (isInText && /^=+[ \t]*$/.test(rest)) return { ...start, kind: 'underline' };
      const kind = recognizeStart(rest);
      const isRow = kind === 'text' && isFirst && isInside && open.kind === 'table';
      return { ...start, kind: isRow && rest.includes('|') ? 'row' : kind };
    }
  }
}

/** @param interrupts it would interrupt a paragraph: then an item must have text, and a number must be 1 */
function readContainer(
  cursor: Cursor,
  rest: string,
  columns: number,
  interrupts: boolean,
): Container | undefined {
  if (rest[0] === '>') {
    consumeQuote(cursor, columns);
    return { kind: 'quote' };
  }
  const marker = listMarker.exec(rest)?.[0];
  if (marker === undefined) return undefined;
  const after = rest.slice(marker.length);
  const isEmpty = after.trim() === '';
  if (interrupts && (isEmpty || !/^(?:\D|1[.)])/.test(marker))) return undefined;
  consume(cursor, columns);
  cursor.text = cursor.text.slice(marker.length);
  cursor.column += marker.length;
  const space = indentation(after, cursor.column).columns;
  const gap = isEmpty || space > 4 ? 1 : space;
  consume(cursor, gap);
  return { kind: 'item', marker, indent: columns + marker.length + gap, shown: false };
}

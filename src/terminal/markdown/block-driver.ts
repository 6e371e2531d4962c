// Reads Markdown that arrives in any pieces as blocks, for a renderer that shows them on a screen or as spoken text.
import {
  type Container,
  continuesLeaf,
  dedent,
  formulaEnd,
  type LeafKind,
  type LineStart,
  readFence,
  readLineStart,
} from './line-start.ts';

/** Turns text into what a terminal shows. Output is final. */
export interface TextTransform {
  /** The output that this part of the text decides; a promise only while something is loaded for it. */
  write(text: string): string | Promise<string>;
  /** The rest. */
  end(): string | Promise<string>;
}

/** Loads the languages of code. The output ends with a line end, unless there was no text. */
export interface MarkdownStream extends TextTransform {
  /** The source of what is not decided yet, for a preview. */
  undecided(): string;
}

/** Shows the blocks of one answer. Each call may add to the output. */
export interface BlockRenderer {
  /** The open quotes and list items. */
  readonly containers: Container[];
  /** The source had a blank line here. */
  blankBefore: boolean;
  /** Begins a block, in further containers. */
  beginBlock(kind: LineStart['kind'], opened: readonly Container[]): void;
  /** Shows a list item without content. */
  emptyItem(): void;
  openParagraph(text: string, isDefinition: boolean): void;
  /** Takes a further line of the paragraph, or its beginning. */
  addLine(text: string, isDefinition: boolean): void;
  /** Takes more of the line. */
  writeText(text: string): void;
  endText(): void;
  closeParagraph(): void;
  /** Whether the paragraph may turn out to be the header of a table. */
  mayBeHeader(): boolean;
  /** Whether a line of dashes or equals signs below the paragraph makes it a heading. */
  mayBeHeading(): boolean;
  /** Whether the paragraph has an open displayed formula, to which the next line belongs. */
  isInFormula(): boolean;
  heading(source: string): void;
  underline(source: string): void;
  rule(source: string): void;
  /**
   * @param fence the mark as written; undefined for indented code
   * @returns a promise while something is loaded that the code needs
   */
  openCode(block: number, info: string, fence: string | undefined): Promise<void> | undefined;
  codeLine(text: string): void;
  closeCode(): void;
  formula(lines: readonly string[], close: string): void;
  /** Shows lines of a formula without an end as they are written. */
  formulaSource(lines: readonly string[]): void;
  /**
   * @param header undefined if the paragraph before may be the header
   * @param isAfterText the paragraph is still open, and is to be closed
   */
  openTable(header: string | undefined, delimiter: string, isAfterText: boolean): void;
  tableRow(row: string): void;
  closeTable(): void;
  /** The output so far, which is taken once. */
  take(): string;
  /** The source of the open paragraph or table that is not shown yet. */
  undecided(): string;
}

type Leaf =
  | { readonly kind: 'none' | 'table' }
  | { readonly kind: 'paragraph'; readonly isDefinition: boolean }
  | { readonly kind: 'fence'; readonly mark: string; readonly indent: number }
  | { readonly kind: 'indented'; blankLines: number }
  | { readonly kind: 'formula'; readonly close: string; readonly lines: string[] };

interface DriverState {
  readonly renderer: BlockRenderer;
  /** The block that the next line may continue. */
  leaf: Leaf;
  /** A line with bars; the next line shows whether it is a table's header. */
  row: string | undefined;
  codeBlocks: number;
  /** The part of the current line that is not accepted yet. */
  line: string;
  /** What to do with more of the line: detect its kind, collect it, or write it as text. */
  mode: 'start' | 'whole' | 'text';
  /** Pending while something is loaded that the next text needs. */
  loading: Promise<void> | undefined;
  /** Input that waits for the load. */
  backlog: string;
  waiting: Promise<string> | undefined;
}

/** A longer line start that is still ambiguous is text. */
const maxStart = 1000;

/** Reads text in any pieces for a renderer; the joined output does not depend on the pieces. */
export function createBlockDriver(renderer: BlockRenderer): MarkdownStream {
  const state: DriverState = {
    renderer,
    leaf: { kind: 'none' },
    row: undefined,
    codeBlocks: 0,
    line: '',
    mode: 'start',
    loading: undefined,
    backlog: '',
    waiting: undefined,
  };
  const finish = () => {
    if (state.line !== '') endLine(state);
    settleRow(state);
    closeLeaf(state);
    leaveContainers(renderer, 0);
    return renderer.take();
  };
  return {
    write(text) {
      state.backlog += text;
      return state.waiting ? '' : drain(state);
    },
    end() {
      if (!state.waiting) return finish();
      return state.waiting.then(finish);
    },
    undecided() {
      const { leaf, row, line, backlog } = state;
      const formula = leaf.kind === 'formula' ? leaf.lines.join('\n') : undefined;
      return [renderer.undecided(), formula, row, line + backlog].filter(Boolean).join('\n');
    },
  };
}

function drain(state: DriverState): string | Promise<string> {
  const { backlog, renderer } = state;
  state.backlog = backlog.slice(consume(state, backlog));
  const { loading } = state;
  const output = renderer.take();
  if (!loading) return output;
  state.waiting = loading.then(async () => {
    state.waiting = undefined;
    state.loading = undefined;
    return output + (await drain(state));
  });
  return state.waiting;
}

/** Reads lines until something must be loaded. @returns the number of units read */
function consume(state: DriverState, text: string): number {
  let position = 0;
  while (position < text.length && !state.loading) {
    const newline = text.indexOf('\n', position);
    const end = newline === -1 ? text.length : newline;
    if (end > position) feed(state, text.slice(position, end));
    if (newline !== -1) endLine(state);
    position = newline === -1 ? end : end + 1;
  }
  return position;
}

function feed(state: DriverState, part: string): void {
  const { renderer, mode } = state;
  if (mode === 'text') return renderer.writeText(part);
  if (mode !== 'start') {
    state.line += part;
    return;
  }
  const room = maxStart - state.line.length;
  state.line += part.slice(0, room);
  const start = readLine(state, state.line, false);
  if (start) begin(state, start);
  else if (state.line.length === maxStart) {
    const text = readLine(state, state.line, true);
    if (text) begin(state, { ...text, kind: 'text' });
  }
  if (part.length > room) feed(state, part.slice(room));
}

function begin(state: DriverState, start: LineStart): void {
  if (start.kind !== 'text' && start.kind !== 'definition') {
    state.mode = 'whole';
    return;
  }
  acceptLine(state, start);
  state.mode = 'text';
  state.line = '';
}

function endLine(state: DriverState): void {
  const { renderer, mode, line } = state;
  state.mode = 'start';
  state.line = '';
  if (mode === 'text') return renderer.endText();
  const start = readLine(state, line, true);
  if (!start) return;
  acceptLine(state, start);
  if (start.kind === 'text' || start.kind === 'definition') renderer.endText();
}

/** How a line starts; undefined while more of the line could change that. */
function readLine(state: DriverState, text: string, complete: boolean): LineStart | undefined {
  const { leaf, row, renderer } = state;
  const isText = leaf.kind === 'paragraph';
  const kind: LeafKind = row === undefined ? leaf.kind : 'paragraph';
  const open = {
    kind,
    fence: leaf.kind === 'fence' ? leaf.mark : undefined,
    headerBefore: row !== undefined || (isText && renderer.mayBeHeader()),
    inFormula: isText && renderer.isInFormula(),
  };
  return readLineStart({ text, complete, containers: renderer.containers, open });
}

/** Takes the start of a text line, or all of any other line. */
function acceptLine(state: DriverState, read: LineStart): void {
  const { renderer, leaf } = state;
  const { kind, rest } = read;
  if (kind === 'delimiter') {
    renderer.openTable(state.row, rest, leaf.kind === 'paragraph');
    state.row = undefined;
    state.leaf = { kind: 'table' };
    return;
  }
  const isUnderline = kind === 'rule' && /^-+[ \t]*$/.test(rest) && isHeading(state, read);
  const start: LineStart = isUnderline ? { ...read, kind: 'underline' } : read;
  settleRow(state);
  if (!continues(state, start)) move(state, start);
  acceptRest(state, start);
}

function isHeading({ leaf, renderer }: DriverState, { opened, continued }: LineStart): boolean {
  const isInside = opened.length === 0 && continued === renderer.containers.length;
  return leaf.kind === 'paragraph' && isInside && renderer.mayBeHeading();
}

function continues(state: DriverState, start: LineStart): boolean {
  const { leaf, renderer } = state;
  const { kind } = start;
  const isDefinition = leaf.kind === 'paragraph' && leaf.isDefinition;
  const joinsParagraph =
    kind === 'row' ||
    (kind === 'definition' && !isDefinition) ||
    (kind === 'underline' && isHeading(state, start));
  return continuesLeaf(leaf.kind, start, renderer.containers.length, joinsParagraph);
}

/** Closes what the line does not continue, and opens its containers. */
function move(state: DriverState, { kind, opened, continued }: LineStart): void {
  const { renderer } = state;
  closeLeaf(state);
  leaveContainers(renderer, continued);
  if (kind === 'blank') renderer.blankBefore ||= opened.length === 0;
  else {
    renderer.beginBlock(kind, opened);
    renderer.blankBefore = false;
  }
  renderer.containers.push(...opened);
}

/** Closes the containers after the first `continued`. An item without content is still shown. */
function leaveContainers(renderer: BlockRenderer, continued: number): void {
  const { containers } = renderer;
  const left = containers.slice(continued);
  if (left.some((container) => container.kind === 'item' && !container.shown)) renderer.emptyItem();
  containers.length = continued;
}

/** Takes a line within its containers. */
function acceptRest(state: DriverState, start: LineStart): void {
  const { leaf, renderer } = state;
  const { kind, rest } = start;
  switch (kind) {
    case 'text':
    case 'definition':
      return addText(state, rest, kind === 'definition');
    case 'row':
      if (leaf.kind === 'table') renderer.tableRow(rest);
      else state.row = rest;
      return;
    case 'code':
      if (leaf.kind === 'fence') renderer.codeLine(dedent(rest, start.column, leaf.indent));
      return;
    case 'closing-fence':
      return closeLeaf(state);
    case 'fence': {
      const { mark, info, indent } = readFence(start, renderer.containers);
      state.codeBlocks += 1;
      state.leaf = { kind: 'fence', mark, indent };
      state.loading = renderer.openCode(state.codeBlocks, info, mark);
      return;
    }
    case 'indented':
      return addIndented(state, rest);
    case 'blank':
      if (leaf.kind === 'indented') leaf.blankLines += 1;
      return;
    case 'formula':
      return addFormulaLine(state, rest);
    case 'heading':
      return renderer.heading(rest);
    case 'underline':
      renderer.underline(rest);
      return closeLeaf(state);
    case 'rule':
      return renderer.rule(rest);
    case 'delimiter':
      return undefined;
  }
}

function addText(state: DriverState, text: string, isDefinition: boolean): void {
  if (state.leaf.kind === 'paragraph') return state.renderer.addLine(text, isDefinition);
  state.leaf = { kind: 'paragraph', isDefinition };
  state.renderer.openParagraph(text, isDefinition);
}

/** The row turned out not to be a table header, so it is a line of text. */
function settleRow(state: DriverState): void {
  const { row } = state;
  if (row === undefined) return;
  state.row = undefined;
  addText(state, row, false);
  state.renderer.endText();
}

function addIndented(state: DriverState, text: string): void {
  const { renderer } = state;
  if (state.leaf.kind === 'indented') {
    for (; state.leaf.blankLines > 0; state.leaf.blankLines -= 1) renderer.codeLine('');
  } else {
    state.codeBlocks += 1;
    state.leaf = { kind: 'indented', blankLines: 0 };
    void renderer.openCode(state.codeBlocks, '', undefined);
  }
  renderer.codeLine(text);
}

/** UTF-16 units of a displayed formula; a longer one is text. */
const maxFormula = 4000;

/** A line of a displayed formula, which is shown when its end is known. */
function addFormulaLine(state: DriverState, text: string): void {
  const isFirst = state.leaf.kind !== 'formula';
  const formula =
    state.leaf.kind === 'formula'
      ? state.leaf
      : { kind: 'formula' as const, close: formulaEnd(text) ?? '', lines: [] };
  const { close, lines } = formula;
  lines.push(text);
  state.leaf = formula;
  if (text.includes(close, isFirst ? 2 : 0)) {
    state.leaf = { kind: 'none' };
    state.renderer.formula(lines, close);
  } else if (lines.reduce((sum, line) => sum + line.length + 1, 0) > maxFormula) closeLeaf(state);
}

function closeLeaf(state: DriverState): void {
  const { leaf, renderer } = state;
  state.leaf = { kind: 'none' };
  if (leaf.kind === 'paragraph') renderer.closeParagraph();
  else if (leaf.kind === 'table') renderer.closeTable();
  else if (leaf.kind === 'formula') renderer.formulaSource(leaf.lines);
  else if (leaf.kind === 'fence' || leaf.kind === 'indented') {
    renderer.closeCode();
    if (leaf.kind === 'indented') renderer.blankBefore ||= leaf.blankLines > 0;
  }
}

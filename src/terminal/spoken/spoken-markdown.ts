import { continuesLeaf, readLineStart, type LineStart } from '../markdown/containers.ts';
import type { MarkdownStream } from '../markdown/markdown-stream.ts';
import {
  acceptRest,
  closeLeaf,
  openTable,
  paragraphInFormula,
  settleRow,
  writeText,
} from './spoken-blocks.ts';
import { createWordRows } from '../markdown/word-rows.ts';
import { initialSpoken, takeLabel, writeLine, type SpokenState } from './spoken-state.ts';

/** A longer line start that is still ambiguous is text. */
const maxStart = 1000;

interface StreamState {
  readonly blocks: SpokenState;
  /** The part of the current line that is not accepted yet. */
  line: string;
  /** The rest of the current line is text of a paragraph. */
  isText: boolean;
  /** The current line is collected to its end. */
  isWhole: boolean;
}

function readLine({ blocks }: StreamState, text: string, complete: boolean) {
  const { leaf, row, containers } = blocks;
  const isHeader = leaf.kind === 'paragraph' && leaf.line === 1 && leaf.rest.includes('|');
  const open = {
    kind: row === undefined ? leaf.kind : 'paragraph',
    fence: leaf.kind === 'fence' ? leaf.mark : undefined,
    headerBefore: row !== undefined || isHeader,
    endsAtBlank: leaf.kind === 'html' && leaf.end === undefined,
    inFormula: paragraphInFormula(blocks),
  } as const;
  return readLineStart({ text, complete, containers, open });
}

function continues({ leaf, containers }: SpokenState, start: LineStart): boolean {
  const joinsParagraph = start.kind === 'row' || start.kind === 'underline';
  return continuesLeaf(leaf.kind, start, containers.length, joinsParagraph);
}

/** An item without content still has its label. */
function leaveContainers(state: SpokenState, continued: number): void {
  const left = state.containers.slice(continued);
  if (left.some((container) => container.kind === 'item' && !container.shown))
    writeLine(state, `${takeLabel(state)}empty`);
  state.containers.length = continued;
}

/** Closes what the line does not continue, and opens its containers. */
function move(state: SpokenState, { kind, opened, continued }: LineStart): void {
  closeLeaf(state);
  leaveContainers(state, continued);
  if (kind === 'blank') {
    state.blankBefore ||= opened.length === 0;
    state.containers.push(...opened);
    return;
  }
  state.containers.push(...opened);
  const isInList = state.containers.some((container) => container.kind === 'item');
  if (state.hasBlocks && state.blankBefore && !isInList) state.text += '\n';
  state.hasBlocks = true;
  state.blankBefore = false;
}

/** `---` right below a line that is not written yet is the underline of a heading. */
function isUnderline({ leaf, containers }: SpokenState, start: LineStart): boolean {
  if (leaf.kind !== 'paragraph' || leaf.isWritten || leaf.line > 1) return false;
  const { kind, opened, continued, rest } = start;
  const isInside = opened.length === 0 && continued === containers.length;
  return kind === 'rule' && isInside && /^-+[ \t]*$/.test(rest);
}

function acceptLine({ blocks }: StreamState, read: LineStart): void {
  const start = isUnderline(blocks, read) ? ({ ...read, kind: 'underline' } as const) : read;
  if (start.kind === 'delimiter') return openTable(blocks, start.rest);
  settleRow(blocks);
  if (!continues(blocks, start)) move(blocks, start);
  acceptRest(blocks, start);
}

function feed(state: StreamState, part: string): void {
  if (state.isText) return writeText(state.blocks, part);
  if (state.isWhole) {
    state.line += part;
    return;
  }
  const room = maxStart - state.line.length;
  state.line += part.slice(0, room);
  const start = readLine(state, state.line, false);
  if (start !== undefined) begin(state, start);
  else if (state.line.length === maxStart) beginAsText(state);
  if (part.length > room) feed(state, part.slice(room));
}

function begin(state: StreamState, start: LineStart): void {
  state.isText = start.kind === 'text' || start.kind === 'definition';
  state.isWhole = !state.isText;
  if (state.isWhole) return;
  acceptLine(state, start);
  state.line = '';
}

function beginAsText(state: StreamState): void {
  const start = readLine(state, state.line, true);
  if (start !== undefined) begin(state, { ...start, kind: 'text' });
}

function endLine(state: StreamState): void {
  const { line, isText } = state;
  state.line = '';
  state.isText = state.isWhole = false;
  if (isText) return;
  const start = readLine(state, line, true);
  if (start !== undefined) acceptLine(state, start);
}

function consume(state: StreamState, text: string): void {
  for (const [index, part] of text.split('\n').entries()) {
    if (index > 0) endLine(state);
    if (part !== '') feed(state, part);
  }
}

function take({ blocks }: StreamState): string {
  const { text } = blocks;
  blocks.text = '';
  return text;
}

function finish(state: StreamState): string {
  if (state.line !== '' || state.isText) endLine(state);
  settleRow(state.blocks);
  closeLeaf(state.blocks);
  leaveContainers(state.blocks, 0);
  return take(state);
}

/**
 * Markdown as labelled text, for screen readers and dumb terminals: `Heading 2: …`, `row 1, name: …`,
 * `code 1, bash, 3 lines`. A block is written when it is complete, text by sentences. Takes sanitized Markdown in any
 * pieces; the joined output does not depend on them. Rows end between words, except in code.
 * @param width columns of a row, infinite to leave wrapping to the terminal
 * @param column used columns of the first row
 */
export function createSpokenMarkdown(width: () => number, column = 0): MarkdownStream {
  const state: StreamState = {
    blocks: initialSpoken(createWordRows(width, column)),
    line: '',
    isText: false,
    isWhole: false,
  };
  return {
    write(text) {
      consume(state, text);
      return take(state);
    },
    end: () => finish(state),
    undecided: () => state.line,
  };
}

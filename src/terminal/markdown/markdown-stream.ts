import { loadFormulas } from '../formula/load-formulas.ts';
import { createHighlighter } from '../highlight/highlight.ts';
import type { Style } from '../style.ts';
import { createBlockOutput, markers, takeText } from './block-output.ts';
import { acceptLine, endBlocks, endText, readLine, writeText } from './blocks.ts';
import type { BlockState } from './block-state.ts';
import { codeText } from './code-block.ts';
import type { LineStart } from './containers.ts';
import { undecidedInline } from './inline-text.ts';
import { heldText } from './prose-rows.ts';

/** Turns text into what a terminal shows. Output is final. */
export interface TextTransform {
  /** The output that this part of the text decides; a promise only while something is loaded for it. */
  write(text: string): string | Promise<string>;
  /** The rest. */
  end(): string | Promise<string>;
}

/** Loads languages and the tables of TeX. The output ends with a line end, unless there was no text. */
export interface MarkdownStream extends TextTransform {
  /** The source of what is not decided yet, for a preview. */
  undecided(): string;
}

/** `words`: natter ends rows of prose between words; `none`: the terminal wraps lines. */
export type WrapMode = 'words' | 'none';

export interface MarkdownStreamOptions {
  readonly style: Style;
  /** Columns of the terminal, read whenever a table or a rule is laid out. */
  readonly width: () => number;
  /** The terminal opens links (OSC 8). */
  readonly hyperlinks: boolean;
  /** It is known to, so that the label of a link is shown without its address. */
  readonly hidesAddresses?: boolean;
  /** The terminal shows `•`, `│` and `─`. */
  readonly unicode: boolean;
  /** `none` by default. */
  readonly wrap?: WrapMode;
  /** What to type for a code block with this number, at the end of its rule. */
  readonly codeHint?: (block: number) => string;
}

/** A longer line start that is still ambiguous is text. */
const MAX_START = 1000;
/** A longer line of code is written as it arrives, without colour. */
const MAX_CODE_LINE = 8000;

interface StreamState extends BlockState {
  /** The part of the current line that is not accepted yet. */
  line: string;
  /** What to do with more of the line: detect its kind, collect it, or write it as text or unchanged. */
  mode: 'start' | 'whole' | 'code' | 'text' | 'long';
  /** Input that waits for the load. */
  backlog: string;
  waiting: Promise<string> | undefined;
}

/**
 * Takes sanitized Markdown in any pieces; the joined output does not depend on them. Setext headings and link
 * references are shown as written, because they can be recognised only by later text.
 */
export function createMarkdownStream(options: MarkdownStreamOptions): MarkdownStream {
  const { style, width, hyperlinks, unicode, wrap, codeHint, hidesAddresses = false } = options;
  const highlighter = createHighlighter(style);
  const inline = { marks: !style.colored, own: style.own, hyperlinks, hidesAddresses, unicode };
  const state: StreamState = {
    output: createBlockOutput({
      style,
      unicode,
      proseWidth: wrap === 'words' ? width : undefined,
    }),
    options: { highlighter, inline, width, codeHint },
    leaf: { kind: 'none' },
    row: undefined,
    codeBlocks: 0,
    loading: undefined,
    line: '',
    mode: 'start',
    backlog: '',
    waiting: undefined,
  };
  const finish = () => {
    endInput(state);
    return takeText(state.output);
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
    undecided: () => undecidedText(state),
  };
}

function drain(state: StreamState): string | Promise<string> {
  const { backlog } = state;
  state.loading = state.output.unicode ? loadFormulas(backlog) : undefined;
  state.backlog = backlog.slice(consume(state, backlog));
  const output = takeText(state.output);
  if (!state.loading) return output;
  state.waiting = state.loading.then(async () => {
    state.loading = state.waiting = undefined;
    return output + (await drain(state));
  });
  return state.waiting;
}

/** Reads lines until something must be loaded. @returns the number of units read */
function consume(state: StreamState, text: string): number {
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

function feed(state: StreamState, part: string): void {
  if (state.mode === 'text') return writeText(state, part);
  if (state.mode === 'long') {
    state.output.text += part;
    return;
  }
  if (state.mode !== 'start') {
    state.line += part;
    if (state.mode === 'code' && state.line.length > MAX_CODE_LINE) passLongCode(state);
    return;
  }
  const room = MAX_START - state.line.length;
  state.line += part.slice(0, room);
  const start = readLine(state, state.line, false);
  if (start) begin(state, start);
  else if (state.line.length === MAX_START) beginAsText(state);
  if (part.length > room) feed(state, part.slice(room));
}

function begin(state: StreamState, start: LineStart): void {
  if (start.kind !== 'text' && start.kind !== 'definition') {
    state.mode = start.kind === 'code' ? 'code' : 'whole';
    return;
  }
  acceptLine(state, start);
  state.mode = 'text';
  state.line = '';
}

function beginAsText(state: StreamState): void {
  const start = readLine(state, state.line, true);
  if (start) begin(state, { ...start, kind: 'text' });
}

function passLongCode(state: StreamState): void {
  const start = readLine(state, state.line, false);
  if (!start || state.leaf.kind !== 'fence') return;
  state.output.text += markers(state.output, 'code') + codeText(state.leaf, start);
  state.line = '';
  state.mode = 'long';
}

function endLine(state: StreamState): void {
  const { mode, line } = state;
  state.mode = 'start';
  state.line = '';
  if (mode === 'text') return endText(state);
  if (mode === 'long') {
    state.output.text += '\n';
    return;
  }
  const start = readLine(state, line, true);
  if (!start) return;
  acceptLine(state, start);
  if (start.kind === 'text' || start.kind === 'definition') endText(state);
}

function endInput(state: StreamState): void {
  if (state.line !== '' || state.mode === 'long') endLine(state);
  endBlocks(state);
}

function undecidedText({ leaf, row, line, backlog, output }: StreamState): string {
  const parts = [line + backlog];
  if (row !== undefined) parts.unshift(row);
  if (leaf.kind === 'formula' && leaf.lines) parts.unshift(leaf.lines.join('\n'));
  if (leaf.kind === 'table') parts.unshift(leaf.table.undecided());
  if (leaf.kind === 'paragraph') {
    const held = output.rows ? heldText(output.rows) : '';
    parts.unshift(held + undecidedInline(leaf.paragraph.inline) + leaf.paragraph.trail);
  }
  return parts.filter(Boolean).join('\n');
}

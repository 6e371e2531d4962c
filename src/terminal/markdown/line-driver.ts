import type { LineStart } from './line-start.ts';

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

/** Shows the blocks of one answer: on a screen, or as spoken text. */
export interface BlockRenderer {
  /** How a line starts; undefined while more of the line could change that. */
  readLine(text: string, complete: boolean): LineStart | undefined;
  /** Takes the start of a line of text, or all of any other line. */
  acceptLine(start: LineStart): void;
  /** Takes more of a line of text. */
  writeText(text: string): void;
  endText(): void;
  /** Shows code that arrives without line ends for so long that it is not collected any more. */
  readonly longCode?: {
    begin(start: LineStart): void;
    write(text: string): void;
    end(): void;
  };
  /** Shows everything that is still open. */
  end(): void;
  /** The output so far, which is taken once. */
  take(): string;
  /** Pending while an accepted line needs something that is being loaded. */
  loading(): Promise<void> | undefined;
  /** The source of blocks that are not shown yet. */
  undecided(): readonly string[];
}

/** A longer line start that is still ambiguous is text. */
const maxStart = 1000;
/** A longer line of code is written as it arrives, without colour. */
const maxCodeLine = 8000;

interface DriverState {
  readonly renderer: BlockRenderer;
  /** The part of the current line that is not accepted yet. */
  line: string;
  /** What to do with more of the line: detect its kind, collect it, or write it as text or unchanged. */
  mode: 'start' | 'whole' | 'code' | 'text' | 'long';
  /** Input that waits for the load. */
  backlog: string;
  waiting: Promise<string> | undefined;
}

/** Reads text in any pieces as lines for a renderer; the joined output does not depend on the pieces. */
export function createLineDriver(renderer: BlockRenderer): MarkdownStream {
  const state: DriverState = {
    renderer,
    line: '',
    mode: 'start',
    backlog: '',
    waiting: undefined,
  };
  const finish = () => {
    if (state.line !== '' || state.mode === 'long') endLine(state);
    renderer.end();
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
    undecided: () =>
      [...renderer.undecided(), state.line + state.backlog].filter(Boolean).join('\n'),
  };
}

function drain(state: DriverState): string | Promise<string> {
  const { backlog, renderer } = state;
  state.backlog = backlog.slice(consume(state, backlog));
  const loading = renderer.loading();
  const output = renderer.take();
  if (!loading) return output;
  state.waiting = loading.then(async () => {
    state.waiting = undefined;
    return output + (await drain(state));
  });
  return state.waiting;
}

/** Reads lines until something must be loaded. @returns the number of units read */
function consume(state: DriverState, text: string): number {
  let position = 0;
  while (position < text.length && !state.renderer.loading()) {
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
  if (mode === 'long') return renderer.longCode?.write(part);
  if (mode !== 'start') {
    state.line += part;
    if (mode === 'code' && state.line.length > maxCodeLine) passLongCode(state);
    return;
  }
  const room = maxStart - state.line.length;
  state.line += part.slice(0, room);
  const start = renderer.readLine(state.line, false);
  if (start) begin(state, start);
  else if (state.line.length === maxStart) beginAsText(state);
  if (part.length > room) feed(state, part.slice(room));
}

function begin(state: DriverState, start: LineStart): void {
  if (start.kind !== 'text' && start.kind !== 'definition') {
    state.mode = start.kind === 'code' ? 'code' : 'whole';
    return;
  }
  state.renderer.acceptLine(start);
  state.mode = 'text';
  state.line = '';
}

function beginAsText(state: DriverState): void {
  const start = state.renderer.readLine(state.line, true);
  if (start) begin(state, { ...start, kind: 'text' });
}

function passLongCode(state: DriverState): void {
  const { renderer } = state;
  const start = renderer.longCode && renderer.readLine(state.line, false);
  if (start?.kind !== 'code') return;
  renderer.longCode?.begin(start);
  state.line = '';
  state.mode = 'long';
}

function endLine(state: DriverState): void {
  const { renderer, mode, line } = state;
  state.mode = 'start';
  state.line = '';
  if (mode === 'text') return renderer.endText();
  if (mode === 'long') return renderer.longCode?.end();
  const start = renderer.readLine(line, true);
  if (!start) return;
  renderer.acceptLine(start);
  if (start.kind === 'text' || start.kind === 'definition') renderer.endText();
}

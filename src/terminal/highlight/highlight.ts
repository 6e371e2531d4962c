import type { StringStream } from '@codemirror/language';
import type { AnswerPart, Look, Paint, Style } from '../style.ts';
import type * as Modes from './modes.ts';
import type { Mode } from './modes.ts';

/** Styles the next line of one code block, without changing its visible text. */
export type HighlightLine = (line: string) => string;

/** Colours code line by line. */
export interface Highlighter {
  /** Resolves when {@link Highlighter.open} can style code; undefined if there is nothing to load. */
  load(): Promise<void> | undefined;
  /** Starts a code block. Lines are unchanged if natter cannot highlight the language. */
  open(language: string): HighlightLine;
}

/** Longer lines are data or minified code, and some modes are slow on them. */
const MAX_LINE = 2000;

/** Columns of a tab. */
const TAB_SIZE = 4;

/** Columns a mode counts for one level of indentation. */
const INDENT_UNIT = 2;

export function createHighlighter(style: Style): Highlighter {
  let modes: typeof Modes | undefined;
  let loading: Promise<void> | undefined;
  let isTried = false;

  async function load(): Promise<void> {
    try {
      modes = await import('./modes.ts');
    } catch {
      // Code without colour is still readable; the load is not tried again.
    }
    isTried = true;
  }

  return {
    load: () => (style.colored && !isTried ? (loading ??= load()) : undefined),
    open(language) {
      const mode = modes?.findMode(language);
      return mode && modes ? openBlock(mode, modes.StringStream, style) : (line) => line;
    },
  };
}

function openBlock(mode: Mode, Stream: typeof StringStream, style: Style): HighlightLine {
  let broken = false;
  let state: unknown;
  const attempt = (line: string): string => {
    state ??= mode.startState?.(INDENT_UNIT) ?? {};
    if (line.trim() === '') {
      mode.blankLine?.(state, INDENT_UNIT);
      return line;
    }
    return highlightLine(mode, new Stream(line, TAB_SIZE, INDENT_UNIT), state, style);
  };
  return (line) => {
    if (broken || line.length > MAX_LINE) return line;
    try {
      return attempt(line);
    } catch {
      // After an error, the mode's state is unusable: the rest of this block has no colour.
      broken = true;
      return line;
    }
  };
}

function highlightLine(mode: Mode, stream: StringStream, state: unknown, style: Style): string {
  let output = '';
  let stalls = 0;
  while (!stream.eol()) {
    stream.start = stream.pos;
    const token = mode.token(stream, state);
    if (stream.pos > stream.start) stalls = 0;
    else if ((stalls += 1) > 10) throw new Error('the mode does not advance');
    const text = stream.current();
    const look = token ? lookOf(token) : undefined;
    output += look && text.trim() !== '' ? codePaint(style, look)(text) : text;
  }
  return output;
}

/** The tokens with these looks are parts whose look the user can choose. */
const parts: { readonly [Name in Look]?: AnswerPart } = {
  magenta: 'keyword',
  green: 'string',
  dim: 'comment',
};

function codePaint(style: Style, look: Look): Paint {
  const part = parts[look];
  return (part && style.own?.[part]) ?? style[look];
}

/** CodeMirror's token names, old and new. Other tokens have the terminal's default colour. */
const looks: Readonly<Record<string, Look>> = {
  keyword: 'magenta',
  modifier: 'magenta',
  qualifier: 'magenta',
  meta: 'magenta',
  macroName: 'magenta',
  string: 'green',
  'string-2': 'green',
  regexp: 'green',
  inserted: 'green',
  deleted: 'red',
  number: 'cyan',
  atom: 'cyan',
  bool: 'cyan',
  type: 'cyan',
  typeName: 'cyan',
  className: 'cyan',
  attribute: 'cyan',
  attributeName: 'cyan',
  builtin: 'cyan',
  tag: 'blue',
  tagName: 'blue',
  def: 'blue',
  definition: 'blue',
  function: 'blue',
  comment: 'dim',
  header: 'bold',
  heading: 'bold',
  strong: 'bold',
  emphasis: 'italic',
  link: 'underline',
};

const found = new Map<string, Look | undefined>();

/** Of `variableName.definition` or `string property`, the last part with a look decides. */
function lookOf(token: string): Look | undefined {
  if (found.has(token)) return found.get(token);
  const look = token
    .split(/[ .]/)
    .map((part) => (Object.hasOwn(looks, part) ? looks[part] : undefined))
    .findLast((candidate) => candidate !== undefined);
  found.set(token, look);
  return look;
}

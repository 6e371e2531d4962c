import type { StringStream } from '@codemirror/language';
import { findLanguage, type Mode } from './highlight-languages.ts';
import type { AnswerPart, Look, Paint, Style } from '../style.ts';

/** Styles the next line of one code block, without changing its visible text. */
export type HighlightLine = (line: string) => string;

/** Colours code line by line. Each language is loaded at its first use. */
export interface Highlighter {
  /** Resolves when {@link Highlighter.open} can style the language; undefined if there is nothing to load. */
  load(language: string): Promise<void> | undefined;
  /** Starts a code block. Lines are unchanged if the language is unknown or not loaded. */
  open(language: string): HighlightLine;
}

/** Longer lines are data or minified code, and some modes are slow on them. */
const MAX_LINE = 2000;

type OpenLine = (line: string, indentUnit: number) => StringStream;

/** Columns a mode counts for one level of indentation. */
const INDENT_UNIT = 2;

export function createHighlighter(style: Style): Highlighter {
  const modes = new Map<string, Mode | undefined>();
  let openLine: OpenLine | undefined;

  async function load(language: string, loadMode: () => Promise<Mode>): Promise<void> {
    try {
      const mode = await loadMode();
      ({ openLine } = await import('./code-line.ts'));
      modes.set(language, mode);
    } catch {
      // Code without colour is still readable; the load is not tried again.
      modes.set(language, undefined);
    }
  }

  return {
    load(language) {
      const loadMode = style.colored && !modes.has(language) ? findLanguage(language) : undefined;
      return loadMode && load(language, loadMode);
    },
    open(language) {
      const mode = modes.get(language);
      return mode && openLine ? openBlock(mode, openLine, style) : (line) => line;
    },
  };
}

function openBlock(mode: Mode, openLine: OpenLine, style: Style): HighlightLine {
  let broken = false;
  let state: unknown;
  const attempt = (line: string): string => {
    state ??= mode.startState?.(INDENT_UNIT) ?? {};
    if (line.trim() === '') {
      mode.blankLine?.(state, INDENT_UNIT);
      return line;
    }
    return highlightLine(mode, openLine(line, INDENT_UNIT), state, style);
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

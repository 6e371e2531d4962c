import type { StringStream, StreamParser } from '@codemirror/language';
import type { AnswerPart, Look, Paint, Style } from '../style.ts';

type Mode = StreamParser<unknown>;

type Loader = () => Promise<Mode>;

/**
 * One row for each mode: its names in code fences, and its loader. A loader takes its mode directly of the import, so
 * that the bundle has only these modes of a file.
 */
const rows: readonly (readonly [names: string, load: Loader])[] = [
  [
    'javascript js jsx mjs cjs node',
    async () => (await import('@codemirror/legacy-modes/mode/javascript')).javascript,
  ],
  [
    'typescript ts tsx mts cts',
    async () => (await import('@codemirror/legacy-modes/mode/javascript')).typescript,
  ],
  [
    'json jsonc json5 jsonl ndjson',
    async () => (await import('@codemirror/legacy-modes/mode/javascript')).json,
  ],
  ['c h', async () => (await import('@codemirror/legacy-modes/mode/clike')).c],
  ['cpp c++ cc cxx hpp hxx', async () => (await import('@codemirror/legacy-modes/mode/clike')).cpp],
  ['java', async () => (await import('@codemirror/legacy-modes/mode/clike')).java],
  ['csharp c# cs', async () => (await import('@codemirror/legacy-modes/mode/clike')).csharp],
  ['kotlin kt kts', async () => (await import('@codemirror/legacy-modes/mode/clike')).kotlin],
  ['scala', async () => (await import('@codemirror/legacy-modes/mode/clike')).scala],
  ['dart', async () => (await import('@codemirror/legacy-modes/mode/clike')).dart],
  [
    'objectivec objective-c objc',
    async () => (await import('@codemirror/legacy-modes/mode/clike')).objectiveC,
  ],
  ['glsl shader hlsl', async () => (await import('@codemirror/legacy-modes/mode/clike')).shader],
  ['css', async () => (await import('@codemirror/legacy-modes/mode/css')).css],
  ['scss', async () => (await import('@codemirror/legacy-modes/mode/css')).sCSS],
  ['less', async () => (await import('@codemirror/legacy-modes/mode/css')).less],
  ['xml svg xhtml plist', async () => (await import('@codemirror/legacy-modes/mode/xml')).xml],
  ['html htm vue svelte', async () => (await import('@codemirror/legacy-modes/mode/xml')).html],
  ['sql', async () => (await import('@codemirror/legacy-modes/mode/sql')).standardSQL],
  ['mysql mariadb', async () => (await import('@codemirror/legacy-modes/mode/sql')).mySQL],
  [
    'postgresql postgres pgsql psql',
    async () => (await import('@codemirror/legacy-modes/mode/sql')).pgSQL,
  ],
  ['sqlite', async () => (await import('@codemirror/legacy-modes/mode/sql')).sqlite],
  ['tsql mssql', async () => (await import('@codemirror/legacy-modes/mode/sql')).msSQL],
  [
    'python py python3 py3',
    async () => (await import('@codemirror/legacy-modes/mode/python')).python,
  ],
  ['go golang', async () => (await import('@codemirror/legacy-modes/mode/go')).go],
  ['rust rs', async () => (await import('@codemirror/legacy-modes/mode/rust')).rust],
  ['ruby rb', async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby],
  ['swift', async () => (await import('@codemirror/legacy-modes/mode/swift')).swift],
  [
    'shell sh bash zsh ksh fish console',
    async () => (await import('@codemirror/legacy-modes/mode/shell')).shell,
  ],
  [
    'powershell ps1 pwsh',
    async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell,
  ],
  ['yaml yml', async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml],
  ['toml', async () => (await import('@codemirror/legacy-modes/mode/toml')).toml],
  [
    'dockerfile docker',
    async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile,
  ],
  ['diff patch', async () => (await import('@codemirror/legacy-modes/mode/diff')).diff],
  ['lua', async () => (await import('@codemirror/legacy-modes/mode/lua')).lua],
  ['perl pl', async () => (await import('@codemirror/legacy-modes/mode/perl')).perl],
  ['r', async () => (await import('@codemirror/legacy-modes/mode/r')).r],
  ['haskell hs', async () => (await import('@codemirror/legacy-modes/mode/haskell')).haskell],
  [
    'ini properties conf env',
    async () => (await import('@codemirror/legacy-modes/mode/properties')).properties,
  ],
  ['nginx', async () => (await import('@codemirror/legacy-modes/mode/nginx')).nginx],
  ['protobuf proto', async () => (await import('@codemirror/legacy-modes/mode/protobuf')).protobuf],
  ['julia jl', async () => (await import('@codemirror/legacy-modes/mode/julia')).julia],
  ['clojure clj edn', async () => (await import('@codemirror/legacy-modes/mode/clojure')).clojure],
  ['elm', async () => (await import('@codemirror/legacy-modes/mode/elm')).elm],
  ['erlang erl', async () => (await import('@codemirror/legacy-modes/mode/erlang')).erlang],
  ['groovy gradle', async () => (await import('@codemirror/legacy-modes/mode/groovy')).groovy],
  ['cmake', async () => (await import('@codemirror/legacy-modes/mode/cmake')).cmake],
  ['latex tex', async () => (await import('@codemirror/legacy-modes/mode/stex')).stex],
  ['http', async () => (await import('@codemirror/legacy-modes/mode/http')).http],
];

const loaders = new Map(
  rows.flatMap(([names, load]) => names.split(' ').map((name) => [name, load] as const)),
);

/** The loader of a language, ignoring case; undefined if natter cannot highlight it. */
function findLanguage(name: string): Loader | undefined {
  return loaders.get(name.toLowerCase());
}

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

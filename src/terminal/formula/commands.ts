import {
  fail,
  peek,
  readArgument,
  readName,
  readRawGroup,
  readRawOption,
  type Reader,
  skipSpaces,
  tidy,
} from './reader.ts';
import { fractionText, raise } from './scripts.ts';
import {
  accents,
  doubleStruck,
  fractions,
  functionNames,
  longAccents,
  negated,
  operators,
  relations,
  script,
  symbols,
} from './symbols.ts';
import { displayWidth, padToWidth } from '../text/width.ts';

const brackets: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['matrix', ['(', ')']],
  ['smallmatrix', ['(', ')']],
  ['pmatrix', ['(', ')']],
  ['bmatrix', ['[', ']']],
  ['Bmatrix', ['{', '}']],
  ['vmatrix', ['|', '|']],
  ['Vmatrix', ['‖', '‖']],
  ['array', ['', '']],
  ['cases', ['{ ', '']],
]);

const alignments =
  /^(?:align|aligned|alignat|gather|gathered|equation|split|multline|eqnarray)\*?$/;

/** An environment, after `\begin`: a matrix on one line, or rows that are aligned. */
function readEnvironment(reader: Reader): string {
  const name = readRawGroup(reader) ?? '';
  const end = `\\end{${name}}`;
  const start = reader.at;
  const stop = reader.source.indexOf(end, start);
  if (stop === -1) return fail(reader);
  const body = reader.source.slice(start, stop);
  reader.at = stop + end.length;
  const pair = brackets.get(name);
  if (pair === undefined && !alignments.test(name)) return fail(reader);
  if (body.includes(`\\begin{${name}}`)) return fail(reader);
  const columns = name === 'array' ? body.replace(/^\s*\{[clr|\s]*\}/, '') : body;
  const rows = rowsOf(columns).map((row) => readCells(reader, row));
  const shown = rows.filter((cells) => cells.some((cell) => cell !== ''));
  if (pair !== undefined)
    return pair[0] + shown.map((cells) => cells.join(' ')).join('; ') + pair[1];
  const isWhole = reader.source.trimStart().startsWith(`\\begin{${name}}`) && reader.depth === 1;
  if (!isWhole || reader.rows.length > 0) return shown.map((cells) => cells.join(' ')).join('; ');
  reader.rows.push(...alignedRows(shown));
  return '';
}

/** Rows whose relations are below each other. */
function alignedRows(rows: readonly (readonly string[])[]): readonly string[] {
  const widest = Math.max(0, ...rows.map(([first = '']) => displayWidth(first)));
  return rows.map(([first = '', ...others]) =>
    others.length === 0
      ? first
      : `${padToWidth(first, widest, 'right')} ${others.join(' ')}`.trimEnd(),
  );
}

/** The rows of a body, but not those of an environment in it. */
function rowsOf(body: string): readonly string[] {
  const rows = [''];
  let depth = 0;
  for (const part of body.split(/(\\begin\{|\\end\{|\\\\(?:\[[^\]]*\])?)/)) {
    if (part === '\\begin{') depth += 1;
    if (part === '\\end{') depth -= 1;
    if (part.startsWith('\\\\') && depth === 0) rows.push('');
    else rows[rows.length - 1] += part;
  }
  return rows;
}

function readCells(reader: Reader, row: string): readonly string[] {
  return row.split('&').map((cell) => {
    const inner: Reader = { ...reader, source: cell, at: 0, rows: [] };
    const text = tidy(inner.read(inner, ''));
    if (inner.hasFailed) fail(reader);
    return text;
  });
}

/** Commands that only change the look or the size of what follows. */
const ignored =
  /^(?:left|right|[bB]igg?[lrm]?|(?:display|text|script)style|limits|nolimits|nonumber|notag)$/;
const textCommands = /^(?:text|textrm|textbf|textit|mbox|operatorname\*?)$/;
const lookCommands =
  /^(?:math(?:rm|bf|it|sf|tt|frak|normal)|boldsymbol|bm|mathop|mathrel|mathbin|underbrace|overbrace)$/;
/** Signs directly before what they belong to. */
const prefixes = /^(?:partial|nabla|neg|lnot)$/;
const spaces: ReadonlyMap<string, string> = new Map([
  ...[',', ';', ':', ' ', '\n', '>', 'enspace', 'thinspace'].map((name) => [name, ' '] as const),
  ...['quad', 'qquad'].map((name) => [name, '  '] as const),
  ['!', ''],
]);

/** What a command is, after its backslash. */
export function readCommand(reader: Reader): string {
  const name = readName(reader);
  const known = spaces.get(name) ?? readSymbol(reader, name) ?? readStructure(reader, name);
  return known ?? fail(reader);
}

function readSymbol(reader: Reader, name: string): string | undefined {
  const relation = relations.get(name);
  if (relation !== undefined) return ` ${relation} `;
  const symbol = symbols.get(name);
  if (symbol !== undefined) {
    if (prefixes.test(name)) skipSpaces(reader);
    return symbol;
  }
  const operator = operators.get(name);
  if (operator !== undefined) return operator + readLimits(reader);
  return functionNames.has(name) ? name + readLimits(reader) : undefined;
}

/** The sub- and superscript of an operator or function, and the space before its argument. */
function readLimits(reader: Reader): string {
  let limits = '';
  for (;;) {
    const { at } = reader;
    skipSpaces(reader);
    const mark = peek(reader);
    if (mark === '\\' && /^\\(?:no)?limits/.test(reader.source.slice(reader.at))) {
      reader.at += 1;
      readName(reader);
    } else if (mark === '_' || mark === '^') {
      reader.at += 1;
      limits += raise(readArgument(reader), mark);
    } else {
      const needsSpace = /^(?:[\p{L}\p{N}]|\\[a-zA-Z])/u.test(reader.source.slice(reader.at));
      if (!needsSpace) reader.at = at;
      return needsSpace ? `${limits} ` : limits;
    }
  }
}

function readStructure(reader: Reader, name: string): string | undefined {
  if (name === '\\') return endRow(reader);
  if (name === 'begin') return readEnvironment(reader);
  if (/^[dtc]?frac$/.test(name)) return readFraction(reader);
  if (name === 'sqrt') return readRoot(reader);
  if (name === 'not') return readNegation(reader);
  if (name === 'boxed') return `[${readArgument(reader)}]`;
  if (name === 'pmod') return ` (mod ${readArgument(reader)})`;
  if (name === 'tag') return `  (${readRawGroup(reader) ?? fail(reader)})`;
  if (name === 'label') return readRawGroup(reader) === undefined ? fail(reader) : '';
  if (/^[dt]?binom$/.test(name)) return `(${readArgument(reader)} choose ${readArgument(reader)})`;
  if (ignored.test(name)) return skipDelimiter(reader, name);
  if (textCommands.test(name)) return readText(reader, name);
  if (lookCommands.test(name)) return readArgument(reader);
  if (name === 'mathbb') return readLetters(reader, doubleStruck);
  if (name === 'mathcal' || name === 'mathscr') return readLetters(reader, script);
  return accents.has(name) ? readAccent(reader, name) : undefined;
}

/** Only the rows of the formula itself end; those of an environment in it are read there. */
function endRow(reader: Reader): string {
  readRawOption(reader);
  return reader.depth > 1 ? fail(reader) : '; ';
}

function readFraction(reader: Reader): string {
  const above = readArgument(reader);
  const below = readArgument(reader);
  const one = fractions.get(`${above}/${below}`) ?? fractionText(above, below);
  const next = peek(reader);
  if (next === '^' || next === '_') return `(${one})`;
  return /^[\p{L}\p{N}(\\]/u.test(next) ? `${one} ` : one;
}

const roots: ReadonlyMap<string, string> = new Map([
  ['', '√'],
  ['2', '√'],
  ['3', '∛'],
  ['4', '∜'],
]);

function readRoot(reader: Reader): string {
  const degree = readRawOption(reader) ?? '';
  const root = roots.get(degree.trim()) ?? `${raise(degree.trim(), '^')}√`;
  const text = readArgument(reader);
  return root + (Array.from(text).length === 1 ? text : `(${text})`);
}

function readNegation(reader: Reader): string {
  const text = readArgument(reader);
  return ` ${negated.get(text) ?? fail(reader)} `;
}

/** `\left.` has no delimiter. */
function skipDelimiter(reader: Reader, name: string): string {
  if (!/^(?:left|right)$/.test(name)) return '';
  skipSpaces(reader);
  if (peek(reader) === '.') reader.at += 1;
  return '';
}

function readText(reader: Reader, name: string): string {
  const text = readRawGroup(reader);
  if (text === undefined) return fail(reader);
  return name.startsWith('operatorname') ? text + readLimits(reader) : text;
}

function readLetters(reader: Reader, letters: ReadonlyMap<string, string>): string {
  const found = Array.from(readArgument(reader), (letter) => letters.get(letter));
  return found.some((letter) => letter === undefined) ? fail(reader) : found.join('');
}

function readAccent(reader: Reader, name: string): string {
  const characters = Array.from(readArgument(reader));
  if (characters.length !== 1 && !longAccents.has(name)) return fail(reader);
  const accent = accents.get(name) ?? '';
  return characters.map((character) => (character + accent).normalize('NFC')).join('');
}

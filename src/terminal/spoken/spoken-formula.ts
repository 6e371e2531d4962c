// Mathematics in words, as a person would read it aloud. Unknown commands are read by their names, so nothing is lost.
import { accentWords, commandWords, operatorWords, symbolWords } from './formula-words.ts';

interface Reader {
  readonly source: string;
  at: number;
  depth: number;
}

/** Deeper groups are read without their structure. Only hostile formulas have them. */
const maxDepth = 40;

/** Commands whose argument is read as it is. */
const textCommands = /^(?:text|textbf|textit|textrm|mbox|operatorname)$/;
/** Commands that change only the look of their argument. */
const lookCommands = /^(?:math[a-z]+|boldsymbol|bm|boxed|mathop|underbrace|overbrace|color)$/;

const isOne = (words: string) => !words.includes(' ');

function join(words: readonly string[]): string {
  return words
    .filter((word) => word !== '')
    .join(' ')
    .replaceAll(/ (?=[,;])/g, '');
}

/** The words up to `end`, which is skipped. */
function readPhrase(reader: Reader, end: string): string {
  const words: string[] = [];
  while (reader.at < reader.source.length) {
    if (reader.source.startsWith(end, reader.at) && end !== '') {
      reader.at += end.length;
      break;
    }
    words.push(readTerm(reader));
  }
  return join(words);
}

/** The text of a group, or the next character. */
function readRaw(reader: Reader): string {
  const found = /^\s*(?:\{([^{}]*)\}|(.))/.exec(reader.source.slice(reader.at));
  reader.at += found?.[0].length ?? 1;
  return (found?.[1] ?? found?.[2] ?? '').trim();
}

function skipSpaces(reader: Reader): void {
  while (/\s/.test(reader.source.charAt(reader.at))) reader.at += 1;
}

function readArgument(reader: Reader): string {
  skipSpaces(reader);
  return reader.at < reader.source.length ? readAtom(reader) : '';
}

function readFraction(reader: Reader): string {
  const above = readArgument(reader);
  const below = readArgument(reader);
  return isOne(above) && isOne(below)
    ? `${above} over ${below}`
    : `the fraction ${above} over ${below}, end of fraction,`;
}

function readRoot(reader: Reader): string {
  skipSpaces(reader);
  const degree = /^\[([^\]]*)\]/.exec(reader.source.slice(reader.at));
  reader.at += degree?.[0].length ?? 0;
  const content = readArgument(reader);
  const name = degree === null ? 'the square root of' : `root ${degree[1]} of`;
  return isOne(content) ? `${name} ${content}` : `${name} ${content}, end of root,`;
}

/** `_{a}` and `^{b}` of an operator, in either order. */
function readLimits(reader: Reader, name: string): string {
  const limits = new Map<string, string>();
  for (;;) {
    skipSpaces(reader);
    const mark = reader.source.charAt(reader.at);
    if ((mark !== '_' && mark !== '^') || limits.has(mark)) break;
    reader.at += 1;
    limits.set(mark, readArgument(reader));
  }
  const [from, to] = [limits.get('_'), limits.get('^')];
  const start = to === undefined ? 'over' : 'from';
  const parts = [name, from && `${start} ${from}`, to && `to ${to}`, 'of'];
  return parts.filter((part) => part !== undefined).join(' ');
}

/** `\begin{pmatrix}a & b \\ c & d\end{pmatrix}`: "a, b; c, d". */
function readEnvironment(reader: Reader): string {
  const name = readRaw(reader);
  const rows = readPhrase(reader, `\\end{${name}}`);
  return /matrix/.test(name) ? `the matrix ${rows}, end of matrix,` : rows;
}

function readCommand(reader: Reader): string {
  const name = /^(?:[a-zA-Z]+\*?|[^])/.exec(reader.source.slice(reader.at))?.[0] ?? '';
  reader.at += name.length;
  if (/^[dt]?frac$/.test(name)) return readFraction(reader);
  if (name === 'binom') return `${readArgument(reader)} choose ${readArgument(reader)}`;
  if (name === 'sqrt') return readRoot(reader);
  if (name === 'begin') return readEnvironment(reader);
  if (name === 'vec') return `the vector ${readArgument(reader)}`;
  if (textCommands.test(name)) return readRaw(reader);
  if (lookCommands.test(name)) return readArgument(reader);
  const operator = operatorWords.get(name);
  if (operator !== undefined) return readLimits(reader, operator);
  const accent = accentWords.get(name);
  if (accent !== undefined) return `${readArgument(reader)} ${accent}`;
  return commandWords.get(name) ?? name;
}

/** One symbol, number, command or group. */
function readAtom(reader: Reader): string {
  const { source } = reader;
  const character = String.fromCodePoint(source.codePointAt(reader.at) ?? 0);
  const number = /^\d+(?:[.,]\d+)*/.exec(source.slice(reader.at, reader.at + 40))?.[0];
  reader.at += number?.length ?? character.length;
  if (number !== undefined) return number;
  if (character === '\\') return readCommand(reader);
  if (character === '{') return readGroup(reader);
  if (character === '}' || /\s/.test(character)) return '';
  return symbolWords.get(character) ?? character;
}

function readGroup(reader: Reader): string {
  if (reader.depth >= maxDepth) return '';
  reader.depth += 1;
  const words = readPhrase(reader, '}');
  reader.depth -= 1;
  return words;
}

function power(exponent: string): string {
  if (exponent === '2') return 'squared';
  if (exponent === '3') return 'cubed';
  if (exponent === 'composed with') return 'degrees';
  if (exponent.startsWith('prime')) return exponent;
  return isOne(exponent)
    ? `to the power of ${exponent}`
    : `to the power of ${exponent}, end of power,`;
}

/** `f(x)` is "f of x". */
function isFunction(reader: Reader, name: string): boolean {
  return /^[fghPE]$/.test(name) && reader.source.charAt(reader.at) === '(';
}

/** An atom with its scripts. */
function readTerm(reader: Reader): string {
  const words = [readAtom(reader)];
  for (;;) {
    const mark = reader.source.charAt(reader.at);
    if (mark !== '_' && mark !== '^') break;
    reader.at += 1;
    const script = readArgument(reader);
    words.push(mark === '^' ? power(script) : `sub ${script}`);
  }
  if (isFunction(reader, words[0] ?? '')) {
    reader.at += 1;
    words.push(`of ${readPhrase(reader, ')')}`);
  }
  return join(words);
}

/** The words of a formula, without its delimiters: `x^2` is "x squared". */
export function spokenFormula(source: string): string {
  const words = readPhrase({ source, at: 0, depth: 0 }, '');
  return words
    .replaceAll(/,(?: ?,)+/g, ',')
    .replace(/[,;\s]+$/, '')
    .replaceAll(/,(?= [,;])/g, '');
}

// Mathematics in TeX as a line of Unicode. A formula with anything unknown is left as TeX.
import { readCommand } from './commands.ts';
import { type Reader, fail, peek, skipSpaces, tidy } from './reader.ts';
import { scriptText } from './scripts.ts';
import { functionNames, symbols } from './symbols.ts';

const maxLength = 4000;
/** Hostile formulas nest deeper. */
const maxDepth = 30;

/** The Unicode rows of a formula without its delimiters; undefined if a part of it has none. */
export function formulaRows(tex: string): readonly string[] | undefined {
  if (tex.length > maxLength) return undefined;
  const reader: Reader = {
    source: tex,
    at: 0,
    depth: 0,
    hasFailed: false,
    rows: [],
    read: readUntil,
  };
  const rest = tidy(readUntil(reader, ''));
  const { rows, hasFailed } = reader;
  if (hasFailed || (rows.length === 0 && rest === '')) return undefined;
  if (rows.length === 0) return [rest];
  const last = `${rows.at(-1) ?? ''} ${rest}`.trimEnd();
  return [...rows.slice(0, -1), last];
}

/** The text up to `end`, which is skipped; up to the end of the formula if it is empty. */
function readUntil(reader: Reader, end: string): string {
  reader.depth += 1;
  if (reader.depth > maxDepth) fail(reader);
  let text = '';
  while (reader.at < reader.source.length && !reader.hasFailed) {
    if (end !== '' && reader.source.startsWith(end, reader.at)) {
      reader.at += end.length;
      reader.depth -= 1;
      return text;
    }
    text += readPart(reader, text);
  }
  if (end !== '') fail(reader);
  reader.depth -= 1;
  return text;
}

/** Characters of what is before a fraction; all of them for each fraction would take quadratic time. */
const maxBefore = 60;
/** The name of a function, and its limits, before its argument. */
const functionBefore = /([a-z]+)[^a-z\s]* $/;
/** A letter, a number or an opening bracket, not the `dx` of an integral, or a command. */
const factorAfter = /^(?:\s|~|\\[,;:! ])*(?:(?!d\p{L})[\p{L}\p{N}([]|\\([a-zA-Z]+))/u;
/** Commands before a bracket or a root, or of a fraction. */
const factorCommand = /^(?:left|[bB]igg?l?|sqrt|[dtc]?frac|math[a-z]+)$/;
const derivative = /^([d∂])[^/]?\/\1/;

/** Whether the source continues with a factor of what is before it. */
function hasFactor({ source, at }: Reader): boolean {
  const found = factorAfter.exec(source.slice(at, at + 40));
  const name = found?.[1];
  if (found === null || name === undefined) return found !== null;
  const isLetter = /^\p{L}/u.test(symbols.get(name) ?? '');
  return isLetter || functionNames.has(name) || factorCommand.test(name);
}

/** A fraction after a division or a function, or before a factor, needs parentheses: `1/(a/b)`, `(a/b) c`. */
function readNext(reader: Reader, before: string): string {
  const isFraction = /^[dtc]?frac(?![a-zA-Z])/.test(reader.source.slice(reader.at, reader.at + 6));
  const text = readCommand(reader);
  const inner = text.trim();
  const hasScript = /[\^_]/.test(peek(reader));
  if (!isFraction || !inner.includes('/') || hasScript) return text;
  const isArgument = functionNames.has(functionBefore.exec(before.slice(-maxBefore))?.[1] ?? '');
  if (isArgument || /[/÷]\s*$/.test(before)) return `(${inner})`;
  if (derivative.test(inner) || !hasFactor(reader)) return text;
  return `(${inner}) `;
}

function readPart(reader: Reader, before: string): string {
  const character = peek(reader);
  reader.at += character.length;
  switch (character) {
    case '\\':
      return readNext(reader, before);
    case '{':
      return readUntil(reader, '}');
    case '^':
    case '_':
      if (before === '') return fail(reader);
      return scriptText(reader, character);
    case "'":
      return '′';
    case '~':
      return ' ';
    case '=':
      return ' = ';
    case '}':
    case '&':
    case '$':
    case '%':
    case '#':
      return fail(reader);
    default:
      if (!/\s/.test(character)) return character;
      skipSpaces(reader);
      return ' ';
  }
}

import { displayWidth, padToWidth } from '../text/width.ts';
import { fail, readRawGroup, type Reader, tidy } from './reader.ts';

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
export function readEnvironment(reader: Reader): string {
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

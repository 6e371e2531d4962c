// Code with its number, language and number of lines before it, and its end after it.
import type { LineStart } from '../markdown/containers.ts';
import { readFence } from '../markdown/fence.ts';
import { dedent } from '../markdown/indentation.ts';
import { writeLine, type Fence, type SpokenCode, type SpokenState } from './spoken-state.ts';

/** Beyond either, code is written as it arrives, and the number of its lines is at its end. */
const maxLines = 400;
const maxSize = 64 * 1024;

export function openCode(state: SpokenState, label: string): SpokenCode {
  state.codeBlocks += 1;
  return { number: state.codeBlocks, label, lines: [], size: 0, written: 0 };
}

export function openFence(state: SpokenState, start: LineStart, label: string): Fence {
  const { mark, info, indent } = readFence(start, state.containers);
  return { kind: 'fence', language: info, mark, indent, code: openCode(state, label) };
}

const lineCount = (lines: number) => (lines === 1 ? '1 line' : `${lines} lines`);

function nameOf({ number }: SpokenCode, language: string): string {
  return language === '' ? `code ${number}` : `code ${number}, ${language}`;
}

function writeHeld(state: SpokenState, code: SpokenCode, language: string, size: string): void {
  if (code.written === 0) writeLine(state, `${code.label}${nameOf(code, language)}${size}:`);
  state.text += code.lines.map((line) => `${line}\n`).join('');
  code.written += code.lines.length;
  code.lines = [];
}

export function addCodeLine(
  state: SpokenState,
  code: SpokenCode,
  language: string,
  line: string,
): void {
  code.lines.push(line);
  code.size += line.length;
  const isLong = code.written > 0 || code.lines.length > maxLines || code.size > maxSize;
  if (isLong) writeHeld(state, code, language, '');
}

export function fencedLine(fence: Fence, { rest, column }: LineStart): string {
  return dedent(rest, column, fence.indent);
}

export function closeCode(state: SpokenState, code: SpokenCode, language = ''): void {
  const { number, written, lines, label } = code;
  if (written + lines.length === 0) {
    writeLine(state, `${label}${nameOf(code, language)}, empty`);
    return;
  }
  writeHeld(state, code, language, `, ${lineCount(lines.length)}`);
  writeLine(state, `end of code ${number}${written > 0 ? `, ${lineCount(code.written)}` : ''}`);
}

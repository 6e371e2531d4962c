import { StringStream } from '@codemirror/language';

const TAB_SIZE = 4;

/** A line of code as a mode reads it. A module of its own, so that only this part of the library is bundled. */
export function openLine(line: string, indentUnit: number): StringStream {
  return new StringStream(line, TAB_SIZE, indentUnit);
}

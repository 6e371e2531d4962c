import { StringStream } from '@codemirror/language';

const TAB_SIZE = 4;

/** A line of code for a mode. In a separate module, so that only this part of the library is bundled. */
export function openLine(line: string, indentUnit: number): StringStream {
  return new StringStream(line, TAB_SIZE, indentUnit);
}

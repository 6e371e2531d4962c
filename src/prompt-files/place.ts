import { Failure, type FailureOptions } from '../failure.ts';

/** A file of a prompt, or a fragment that it includes. */
export interface SourceFile {
  /** The path as messages show it. */
  readonly name: string;
  /** Absolute. Paths in the file are relative to its folder. */
  readonly path: string;
}

/** A line of a file, from 1. */
export interface Place {
  readonly file: SourceFile;
  readonly line: number;
}

/** `review.md:3`. */
export const placeText = ({ file, line }: Place): string => `${file.name}:${line}`;

/** A failure whose message begins with the file and the line. */
export function failureAt(place: Place, message: string, options: FailureOptions = {}): Failure {
  return new Failure('usage', `${placeText(place)}: ${message}`, options);
}

/** Returns the line of an offset in a text. The offsets must not decrease. @param firstLine that of offset 0 */
export function createLineCounter(text: string, firstLine: number): (offset: number) => number {
  let line = firstLine;
  let next = text.indexOf('\n');
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line += 1;
    return line;
  };
}

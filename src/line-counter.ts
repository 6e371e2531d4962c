/** Returns the line of an offset in a text. The offsets must not decrease. @param firstLine that of offset 0 */
export function createLineCounter(text: string, firstLine: number): (offset: number) => number {
  let line = firstLine;
  let next = text.indexOf('\n');
  return (offset) => {
    for (; next >= 0 && next < offset; next = text.indexOf('\n', next + 1)) line += 1;
    return line;
  };
}

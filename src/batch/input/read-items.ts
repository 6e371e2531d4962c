import { fingerprint } from '../fingerprint.ts';
import { readInputLines } from './input-lines.ts';
import { createItemParser, formatOfLine, type ItemParser, type ParsedItem } from './item-parser.ts';
import type { InputFormat, InputItem, Template } from './item.ts';

/**
 * The items of an input, in order. An item that cannot be sent has a `problem`; it does not stop the others.
 * @throws Failure `usage` for an unusable header; errors of `source`
 */
export async function* readItems(
  source: AsyncIterable<Uint8Array>,
  {
    format,
    template,
  }: {
    /** Undefined: the first line that is not blank decides. */
    readonly format: InputFormat | undefined;
    readonly template: Template | undefined;
  },
): AsyncGenerator<InputItem, void> {
  /** The first line of each id. Hashes, because an id may be a part of a long line, which would stay in memory. */
  const lines = new Map<string, number>();
  let parser: ItemParser | undefined;
  let index = 0;
  const toItem = (parsed: ParsedItem): InputItem => {
    index += 1;
    const { line, id, row } = parsed;
    if (id === undefined) return { index, ...parsed };
    const key = fingerprint(id);
    const earlier = lines.get(key);
    if (earlier === undefined) {
      lines.set(key, line);
      return { index, ...parsed };
    }
    const problem = `repeats the id "${id}" of line ${earlier}`;
    return { index, line, id, ...(row === undefined ? {} : { row }), problem };
  };
  for await (const line of readInputLines(source)) {
    if (parser === undefined) {
      if (line.text.trim() === '' && line.problem === undefined) continue;
      parser = createItemParser(format ?? formatOfLine(line), template);
    }
    const item = parser.add(line);
    if (item !== undefined) yield toItem(item);
  }
  const last = parser?.end();
  if (last !== undefined) yield toItem(last);
}

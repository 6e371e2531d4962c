import { fingerprint } from '../fingerprint.ts';
import { readInputLines } from './input-lines.ts';
import { createItemParser, formatOfLine, type ItemParser, type ParsedItem } from './item-parser.ts';
import type { InputFormat, InputItem, Template } from './item.ts';

interface ReadItemsOptions {
  /** Undefined: the first line that is not blank decides. */
  readonly format: InputFormat | undefined;
  readonly template: Template | undefined;
}

/**
 * The items of an input, in order. An item that cannot be sent has a `problem`; it does not stop the others.
 * @throws Failure `usage` for an unusable header; errors of `source`
 */
export async function* readItems(
  source: AsyncIterable<Uint8Array>,
  { format, template }: ReadItemsOptions,
): AsyncGenerator<InputItem, void> {
  /** Lines by the hashes of ids, because an id would keep its whole line in memory. */
  const lineOfId = new Map<bigint, number>();
  let parser: ItemParser | undefined;
  let index = 0;
  const toItem = ({ line, id, content, row }: ParsedItem): InputItem => {
    index += 1;
    const place = { index, line, id, ...(row === undefined ? {} : { row }) };
    const hash = id === undefined ? undefined : fingerprint(id);
    const earlier = hash === undefined ? undefined : lineOfId.get(hash);
    if (earlier !== undefined) {
      return { ...place, problem: `repeats the id "${id}" of line ${earlier}` };
    }
    if (hash !== undefined) lineOfId.set(hash, line);
    return 'problem' in content ? { ...place, problem: content.problem } : { ...place, content };
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

import { createIdLines, type IdLines } from './id-lines.ts';
import { formatOfText, type InputFormat } from './input-format.ts';
import { readInputLines } from './input-lines.ts';
import { createItemParser, type ItemParser, type ParsedItem } from './item-parser.ts';
import type { InputItem } from './item.ts';
import type { Template } from './template.ts';

export interface ReadItemsOptions {
  /** Undefined: the first line that holds anything decides. */
  readonly format: InputFormat | undefined;
  readonly template: Template | undefined;
}

function numbered({ line, id, content }: ParsedItem, index: number, ids: IdLines): InputItem {
  const before = id === undefined ? undefined : ids.note(id, line);
  const place = { index, line, id };
  if (before !== undefined) {
    return { ...place, problem: `repeats the id "${id}" of line ${before}` };
  }
  return 'problem' in content ? { ...place, problem: content.problem } : { ...place, content };
}

/**
 * The items of an input, in order and as they come. What cannot be sent is an item with a `problem`, so that one
 * bad line does not stop a million good ones.
 * @throws Failure `usage` where nothing can be read: UTF-16, a table whose header will not do
 */
export async function* readItems(
  source: AsyncIterable<Uint8Array>,
  { format, template }: ReadItemsOptions,
): AsyncGenerator<InputItem, void> {
  const ids = createIdLines();
  let parser: ItemParser | undefined;
  let count = 0;
  for await (const lines of readInputLines(source)) {
    for (const line of lines) {
      if (parser === undefined) {
        if (line.text.trim() === '' && line.problem === undefined) continue;
        parser = await createItemParser(format ?? formatOfText(line), template);
      }
      const item = parser.add(line);
      if (item !== undefined) yield numbered(item, (count += 1), ids);
    }
  }
  const last = parser?.end();
  if (last !== undefined) yield numbered(last, count + 1, ids);
}

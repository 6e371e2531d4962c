import { fingerprint } from '../fingerprint.ts';
import { readInputLines } from './input-lines.ts';
import { createItemParser, formatOfLine, type ItemParser, type ParsedItem } from './item-parser.ts';
import type { InputFormat, InputItem, Template } from './item.ts';

/** The first line of each id, or any other number, in about 30 bytes per id. */
interface IdLines {
  /** Adds an id. @returns the line of an earlier equal id */
  add(id: string, line: number): number | undefined;
  /** The line of the first equal id. */
  find(id: string): number | undefined;
}

const firstSize = 1024;

/** A hash table with open addressing, because a `Map` of a million ids needs 100 MB; line 0 marks a free slot. */
export function createIdLines(): IdLines {
  let keys = new BigUint64Array(firstSize);
  let lines = new Float64Array(firstSize);
  let count = 0;

  const slotOf = (key: bigint): number => {
    const size = keys.length;
    let slot = Number(key & BigInt(size - 1));
    while (lines[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) % size;
    return slot;
  };
  const grow = () => {
    const [oldKeys, oldLines] = [keys, lines];
    keys = new BigUint64Array(oldKeys.length * 2);
    lines = new Float64Array(oldKeys.length * 2);
    for (const [index, line] of oldLines.entries()) {
      if (line === 0) continue;
      const key = oldKeys[index] ?? 0n;
      const slot = slotOf(key);
      keys[slot] = key;
      lines[slot] = line;
    }
  };
  return {
    add(id, line) {
      const key = fingerprint(id);
      const slot = slotOf(key);
      const earlier = lines[slot] ?? 0;
      if (earlier !== 0) return earlier;
      keys[slot] = key;
      lines[slot] = line;
      count += 1;
      if (count * 2 > keys.length) grow();
      return undefined;
    },
    find: (id) => lines[slotOf(fingerprint(id))] || undefined,
  };
}

interface ReadItemsOptions {
  /** Undefined: the first line that is not blank decides. */
  readonly format: InputFormat | undefined;
  readonly template: Template | undefined;
}

function indexed({ line, id, content, row }: ParsedItem, index: number, ids: IdLines): InputItem {
  if (id === undefined && row === undefined && !('problem' in content)) {
    return { index, line, id, content };
  }
  const earlier = id === undefined ? undefined : ids.add(id, line);
  const place = { index, line, id, ...(row === undefined ? {} : { row }) };
  if (earlier !== undefined) {
    return { ...place, problem: `repeats the id "${id}" of line ${earlier}` };
  }
  return 'problem' in content ? { ...place, problem: content.problem } : { ...place, content };
}

/** The items of blocks, one after the other: for what is not done once for each request. */
export async function* eachItem(
  blocks: AsyncIterable<readonly InputItem[]>,
): AsyncGenerator<InputItem, void> {
  for await (const block of blocks) yield* block;
}

/**
 * The items of an input, in order, in one block for each chunk that is read. An item that cannot be sent has a `problem`;
 * it does not stop the others.
 * @throws Failure `usage` for an unusable header; errors of `source`
 */
export async function* readItems(
  source: AsyncIterable<Uint8Array>,
  { format, template }: ReadItemsOptions,
): AsyncGenerator<readonly InputItem[], void> {
  const ids = createIdLines();
  let parser: ItemParser | undefined;
  let count = 0;
  for await (const lines of readInputLines(source)) {
    const items: InputItem[] = [];
    for (const line of lines) {
      if (parser === undefined) {
        if (line.text.trim() === '' && line.problem === undefined) continue;
        parser = createItemParser(format ?? formatOfLine(line), template);
      }
      const item = parser.add(line);
      if (item !== undefined) items.push(indexed(item, (count += 1), ids));
    }
    if (items.length > 0) yield items;
  }
  const last = parser?.end();
  if (last !== undefined) yield [indexed(last, count + 1, ids)];
}

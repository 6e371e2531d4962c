import { fingerprint } from '../fingerprint.ts';
import { readInputLines } from './input-lines.ts';
import { createItemParser, formatOfLine, type ItemParser, type ParsedItem } from './item-parser.ts';
import type { InputFormat, InputItem, Template } from './item.ts';

const firstSize = 1024;

/** The first line of each id in a hash table with open addressing: a `Map` of a million ids needs 100 MB. */
export class IdLines {
  #keys = new BigUint64Array(firstSize);
  /** 0 marks a free slot. */
  #lines = new Float64Array(firstSize);
  #count = 0;

  /** Adds an id. @returns the line of an earlier equal id */
  add(id: string, line: number): number | undefined {
    const key = fingerprint(id);
    const slot = this.#slotOf(key);
    const earlier = this.#lines[slot] ?? 0;
    if (earlier !== 0) return earlier;
    this.#keys[slot] = key;
    this.#lines[slot] = line;
    this.#count += 1;
    if (this.#count * 2 > this.#keys.length) this.#grow();
    return undefined;
  }

  #slotOf(key: bigint): number {
    const size = this.#keys.length;
    let slot = Number(key & BigInt(size - 1));
    while (this.#lines[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) % size;
    return slot;
  }

  #grow(): void {
    const [keys, lines] = [this.#keys, this.#lines];
    this.#keys = new BigUint64Array(keys.length * 2);
    this.#lines = new Float64Array(keys.length * 2);
    for (const [at, line] of lines.entries()) {
      if (line === 0) continue;
      const slot = this.#slotOf(keys[at] ?? 0n);
      this.#keys[slot] = keys[at] ?? 0n;
      this.#lines[slot] = line;
    }
  }
}

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
  const ids = new IdLines();
  let parser: ItemParser | undefined;
  let index = 0;
  const toItem = ({ line, id, content, row }: ParsedItem): InputItem => {
    index += 1;
    const place = { index, line, id, ...(row === undefined ? {} : { row }) };
    const earlier = id === undefined ? undefined : ids.add(id, line);
    if (earlier !== undefined) {
      return { ...place, problem: `repeats the id "${id}" of line ${earlier}` };
    }
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

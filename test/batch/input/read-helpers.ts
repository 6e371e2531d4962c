import { type InputFormat, type InputItem, parseTemplate } from '../../../src/batch/input/item.ts';
import { readItems } from '../../../src/batch/input/read-items.ts';

interface Input {
  readonly format?: InputFormat;
  readonly template?: string;
  /** In bytes. */
  readonly chunkSize?: number;
}

async function* chunksOf(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function read(
  text: string | Uint8Array,
  input: Input = {},
): Promise<readonly InputItem[]> {
  const { format, template, chunkSize = 1 << 20 } = input;
  const options = {
    format,
    template: template === undefined ? undefined : parseTemplate(template),
  };
  const items: InputItem[] = [];
  for await (const item of readItems(chunksOf(Buffer.from(text), chunkSize), options)) {
    items.push(item);
  }
  return items;
}

export const user = (content: string) => [{ role: 'user', content }];

/** The prompt or problem of each item. */
export const promptsOf = (items: readonly InputItem[]) =>
  items.map(({ content, problem }) => problem ?? content.messages.at(-1)?.content);

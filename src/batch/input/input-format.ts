import type { InputLine } from './input-lines.ts';

/** `lines`: one prompt per line; `jsonl`: one JSON object per line, also OpenAI batch requests; `csv`, `tsv`: a table. */
export const inputFormats = ['lines', 'jsonl', 'csv', 'tsv'] as const;
export type InputFormat = (typeof inputFormats)[number];

const extensions: Readonly<Record<string, InputFormat>> = {
  txt: 'lines',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'csv',
  tsv: 'tsv',
};

/** The format by the extension of a file name; undefined for an unknown extension. */
export function formatOfName(name: string): InputFormat | undefined {
  const extension = /\.(?<extension>\w+)$/.exec(name)?.groups?.['extension']?.toLowerCase() ?? '';
  return Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
}

/** The format by the first line that is not blank: `jsonl` if it is a JSON object, else `lines`. */
export function formatOfLine({ text }: InputLine): InputFormat {
  if (!text.startsWith('{')) return 'lines';
  try {
    JSON.parse(text);
    return 'jsonl';
  } catch {
    return 'lines';
  }
}

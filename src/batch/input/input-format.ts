import type { InputLine } from './input-lines.ts';

/** How the input is written: a prompt a line, JSON a line, or a table with a header. */
export const inputFormats = ['lines', 'jsonl', 'csv', 'tsv'] as const;
export type InputFormat = (typeof inputFormats)[number];

const extensions: Readonly<Record<string, InputFormat>> = {
  txt: 'lines',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  csv: 'csv',
  tsv: 'tsv',
};

/** The format of a file extension; undefined for an unknown one. */
export function formatOfName(name: string): InputFormat | undefined {
  const extension = /\.(?<extension>\w+)$/.exec(name)?.groups?.['extension']?.toLowerCase() ?? '';
  return Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
}

/** A JSON object on the first line that holds anything means JSON lines. */
export function formatOfText({ text }: InputLine): InputFormat {
  if (!text.startsWith('{')) return 'lines';
  try {
    JSON.parse(text);
    return 'jsonl';
  } catch {
    return 'lines';
  }
}

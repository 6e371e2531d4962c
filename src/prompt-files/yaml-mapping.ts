import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  stringify,
  type Node,
} from 'yaml';
import { failureAt, type SourceFile } from './place.ts';

/** A value of YAML with the lines of the file. */
interface YamlValue {
  readonly line: number;
  /** As JSON. */
  readonly value: unknown;
  /** Of a mapping. */
  readonly entries: readonly YamlEntry[];
  /** The line in which the text of a scalar begins. */
  readonly textLine: number;
}

export interface YamlEntry extends YamlValue {
  readonly key: string;
}

interface Reading {
  readonly document: Document.Parsed;
  readonly lineOf: (offset: number) => number;
}

const isBlock = (node: Node | null) =>
  isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');

function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function readValue(node: Node | null, line: number, reading: Reading): YamlValue {
  const { document, lineOf } = reading;
  const target = isAlias(node) ? (node.resolve(document) ?? null) : node;
  const start = node?.range === undefined || node?.range === null ? line : lineOf(node.range[0]);
  const entries = isMap(target)
    ? target.items.map(({ key, value }): YamlEntry => {
        const keyLine = (key as Node | null)?.range?.[0];
        const at = keyLine === undefined ? start : lineOf(keyLine);
        return { key: keyText(key), ...readValue(value as Node | null, at, reading), line: at };
      })
    : [];
  return {
    line,
    value: target === null ? null : (target.toJS(document, { maxAliasCount: 50 }) as unknown),
    entries,
    textLine: isBlock(target) ? start + 1 : start,
  };
}

/**
 * The entries of a YAML mapping; undefined for YAML that is not a mapping. An empty text has none.
 * @param firstLine the line of the file in which the text begins
 * @throws Failure `usage` with the file and the line
 */
export function readMapping(
  text: string,
  file: SourceFile,
  firstLine: number,
): readonly YamlEntry[] | undefined {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const lineOf = (offset: number) => counter.linePos(offset).line + firstLine - 1;
  const [error] = document.errors;
  if (error !== undefined) {
    const message = error.message.split('\n')[0]?.replace(/[.:]$/, '') ?? '';
    throw failureAt({ file, line: lineOf(error.pos[0]) }, `not valid YAML: ${message}`);
  }
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  if (!isMap(contents)) return undefined;
  try {
    return readValue(contents, firstLine, { document, lineOf }).entries;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw failureAt({ file, line: firstLine }, `not valid YAML: ${message}`, { cause });
  }
}

/** A value as YAML, with long texts in blocks. */
export function yamlText(value: unknown): string {
  return stringify(value, { lineWidth: 0, blockQuote: 'literal' });
}

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  LineCounter,
  parseDocument,
  type Node,
} from 'yaml';
import { Failure } from '../failure.ts';
import { failureAt, type Place, type SourceFile } from './place.ts';

/** A key of a YAML mapping with its value. */
export interface YamlEntry {
  readonly key: string;
  readonly place: Place;
  /** The value as JSON. */
  readonly value: unknown;
  /** The entries, if the value is a mapping. */
  readonly entries: readonly YamlEntry[];
  /** Where the text of a scalar begins. */
  readonly textPlace: Place;
}

/** The entries of a mapping; none of any other value. @param placeAt of an offset */
function readEntries(
  node: unknown,
  document: Document.Parsed,
  placeAt: (offset: number) => Place,
): readonly YamlEntry[] {
  if (!isMap(node)) return [];
  const above = node.range?.[0] ?? 0;
  return node.items.map((pair): YamlEntry => {
    const [key, value] = [pair.key, pair.value] as (Node | null)[];
    const target = isAlias(value) ? (value.resolve(document) ?? null) : (value ?? null);
    const isBlock = isScalar(target) && target.type?.startsWith('BLOCK') === true;
    const place = placeAt(key?.range?.[0] ?? above);
    const start =
      value?.range === undefined || value.range === null ? place : placeAt(value.range[0]);
    return {
      // A list or a mapping as a key has its JSON.
      key: isScalar(key) ? String(key.value) : JSON.stringify(key),
      place,
      value: target === null ? null : (target.toJS(document, { maxAliasCount: 50 }) as unknown),
      entries: readEntries(target, document, placeAt),
      textPlace: isBlock ? { ...start, line: start.line + 1 } : start,
    };
  });
}

/** Levels of lists and mappings. */
const deepest = 100;

/** Columns of indentation, and list marks in a row. */
const likelyDeep = new RegExp(`^ {${5 * deepest}}|(?:[-?] +){${deepest}}`, 'm');

/**
 * Whether a text may have more levels than the parser can read: Node ends, without an error to catch, if the stack is
 * full. Brackets in texts count too.
 */
function mayBeDeep(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[{}\]]/g)) {
    open = Math.max(0, open + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (open > deepest) return true;
  }
  return likelyDeep.test(text);
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
  const placeAt = (offset: number): Place => {
    return { file, line: counter.linePos(offset).line + firstLine - 1 };
  };
  const place = { file, line: firstLine };
  if (mayBeDeep(text)) throw failureAt(place, 'not valid YAML: its values are nested too deeply');
  try {
    const document = parseDocument(text, {
      lineCounter: counter,
      prettyErrors: false,
      // Tags such as !!set and !!timestamp have no form in JSON.
      resolveKnownTags: false,
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const message = error.message.split('\n')[0]?.replace(/[.:]$/, '') ?? '';
      throw failureAt(placeAt(error.pos[0]), `not valid YAML: ${message}`);
    }
    const { contents } = document;
    if (contents === null || (isScalar(contents) && contents.value === null)) return [];
    if (!isMap(contents)) return undefined;
    return readEntries(contents, document, placeAt);
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    const message = cause instanceof Error ? cause.message : String(cause);
    throw failureAt(place, `not valid YAML: ${message}`, { cause });
  }
}

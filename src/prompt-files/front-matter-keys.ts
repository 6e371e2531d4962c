import { isJsonObject, type JsonObject } from '../json.ts';
import { nearlyNamed } from '../near-name.ts';
import { failureAt, type Place, type SourceFile } from './place.ts';
import { readText, readVariables, type Variable } from './variables.ts';
import type { YamlEntry } from './yaml-mapping.ts';

export interface Placed<Value> {
  readonly value: Value;
  readonly place: Place;
}

/** What a front matter sets for its prompt. Values of settings are unchecked text. */
export interface FrontMatter {
  readonly description?: string;
  readonly model?: Placed<string>;
  readonly maxTokens?: Placed<string>;
  /** The place is where the text begins. */
  readonly system?: Placed<string>;
  readonly params?: readonly Placed<readonly [name: string, value: unknown]>[];
  readonly variables?: readonly Variable[];
  /** A JSON Schema, the concise notation, or the path of a file with one of them. Unchecked. */
  readonly schema?: Placed<string | JsonObject>;
  /** What the words after the name are, as in `[issue] [priority]`. */
  readonly argumentHint?: string;
}

type ReadKey = (entry: YamlEntry, file: SourceFile) => FrontMatter;

const textOf = (entry: YamlEntry, file: SourceFile): Placed<string> => ({
  value: readText(entry, file),
  place: { file, line: entry.line },
});

/** A number that JSON has, and that JavaScript has not rounded. */
function isExact(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isExact);
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isExact);
  if (typeof value !== 'number') return true;
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

function readParams({ value, entries, line }: YamlEntry, file: SourceFile): FrontMatter {
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw failureAt({ file, line }, 'params must be fields of the request with values', {
      hint: 'for example: params: { temperature: 0.2 }',
    });
  }
  const params = entries.map((entry) => {
    const place = { file, line: entry.line };
    if (isExact(entry.value)) return { value: [entry.key, entry.value] as const, place };
    throw failureAt(place, `natter cannot send the number in ${entry.key} unchanged`, {
      hint: 'use at most 15 digits, or put the number in double quotes to send it as text',
    });
  });
  return { params };
}

function readSchema({ value, line }: YamlEntry, file: SourceFile): FrontMatter {
  const place = { file, line };
  if (typeof value === 'string' || isJsonObject(value)) return { schema: { value, place } };
  throw failureAt(place, 'schema must be a mapping, or text', {
    hint: 'for example: schema: "[name, age int]" with the quotes, or schema: person.json',
  });
}

/** All that a prompt file can set. Base URL, key, proxy, headers and other settings are not in this table on purpose. */
export const frontMatterKeys: ReadonlyMap<string, ReadKey> = new Map<string, ReadKey>([
  ['description', (entry, file) => ({ description: readText(entry, file) })],
  ['model', (entry, file) => ({ model: textOf(entry, file) })],
  [
    'system',
    (entry, file) => ({
      system: { ...textOf(entry, file), place: { file, line: entry.textLine } },
    }),
  ],
  ['max-tokens', (entry, file) => ({ maxTokens: textOf(entry, file) })],
  ['params', readParams],
  ['variables', (entry, file) => ({ variables: readVariables(entry, file) })],
  ['schema', readSchema],
  ['argument-hint', (entry, file) => ({ argumentHint: readText(entry, file) })],
]);

/** Keys of other programs, which change nothing in natter. */
const ignoredKeys: ReadonlySet<string> = new Set(
  [
    'name title author date created updated version license layout',
    'tags category categories keywords aliases id globs alwaysApply',
    'allowed-tools tools agent mode subtask context hooks effort color',
    'disable-model-invocation user-invocable when_to_use',
  ].flatMap((names) => names.split(' ')),
);

/** The ignored keys that name tools. */
export const toolKeys: ReadonlySet<string> = new Set(['allowed-tools', 'tools']);

/** Keys that only command files of coding agents have. */
export const agentKeys: ReadonlySet<string> = new Set([
  ...toolKeys,
  'disable-model-invocation',
  'user-invocable',
  'subtask',
]);

function refuseKey({ key, line }: YamlEntry, file: SourceFile): never {
  const known = [...frontMatterKeys.keys()];
  const near = nearlyNamed(key, known);
  throw failureAt({ file, line }, `a prompt file cannot set "${key}"`, {
    hint: near === undefined ? `it can set ${known.join(', ')}` : `did you mean ${near}?`,
  });
}

/** @throws Failure `usage` for a key that a prompt file may not have, or a bad value */
export function readFrontMatter(entries: readonly YamlEntry[], file: SourceFile): FrontMatter {
  const found = entries.map((entry): FrontMatter => {
    const read = frontMatterKeys.get(entry.key);
    if (read !== undefined) return entry.value === null ? {} : read(entry, file);
    return ignoredKeys.has(entry.key) ? {} : refuseKey(entry, file);
  });
  return Object.assign({}, ...found) as FrontMatter;
}

import { failureAt, type SourceFile } from './place.ts';
import type { PromptFile } from './prompt-file.ts';
import { readFrontMatter } from './front-matter-keys.ts';
import { type Part, splitText, type Template, textPart } from './template.ts';
import type { YamlEntry } from './yaml-mapping.ts';

/** Of Python's `string.Template`. */
const dollarName = /\$(?:(?<escaped>\$)|(?<name>[A-Za-z_]\w*)|\{(?<braced>[A-Za-z_]\w*)\})/g;

function parseDollars({ value, textLine, key, line }: YamlEntry, file: SourceFile): Template {
  if (typeof value !== 'string') throw failureAt({ file, line }, `${key} must be text`);
  return splitText(
    value.trimEnd(),
    textLine,
    dollarName,
    ({ groups = {} }, at): readonly Part[] => {
      const { escaped, name = groups['braced'] ?? '' } = groups;
      if (escaped !== undefined) return [textPart('$')];
      return [{ kind: name === 'input' ? 'stdin' : 'variable', name, place: { file, line: at } }];
    },
  );
}

/** The keys of `llm` for which a prompt file has a key with a different name. */
const renamedKeys: ReadonlyMap<string, string> = new Map([
  ['model', 'model'],
  ['options', 'params'],
  ['defaults', 'variables'],
  ['schema_object', 'schema'],
]);

const templateKeys: ReadonlySet<string> = new Set(['prompt', 'system']);

/** What natter does instead, or what is missing. */
const ignoredKeys: ReadonlyMap<string, string | undefined> = new Map([
  ['name', undefined],
  ['extract', 'natter last --block 1 prints the first code block of the answer'],
  ['extract_last', 'natter last --block -1 prints the last code block of the answer'],
  ['tools', 'natter has no tools'],
  ['functions', 'natter has no tools'],
]);

function checkKey({ key, line }: YamlEntry, file: SourceFile): void {
  if (templateKeys.has(key) || renamedKeys.has(key) || ignoredKeys.has(key)) return;
  throw failureAt({ file, line }, `natter cannot use "${key}" of an llm template`, {
    hint: `it can use ${[...templateKeys, ...renamedKeys.keys()].join(', ')}`,
  });
}

function noticesOf(entries: readonly YamlEntry[], file: SourceFile): readonly string[] {
  return entries.flatMap(({ key, line }) => {
    const reason = ignoredKeys.get(key);
    return reason === undefined ? [] : [`${file.name}:${line}: ${key} is ignored: ${reason}`];
  });
}

/** Parses a template of `llm`. @throws Failure `usage` */
export function parseLlmTemplate(entries: readonly YamlEntry[], file: SourceFile): PromptFile {
  for (const entry of entries) checkKey(entry, file);
  const find = (key: string) => entries.find((entry) => entry.key === key && entry.value !== null);
  const renamed = entries.flatMap((entry) => {
    const key = renamedKeys.get(entry.key);
    return key === undefined ? [] : [{ ...entry, key }];
  });
  const prompt = find('prompt');
  const system = find('system');
  if (prompt === undefined && system === undefined) {
    throw failureAt({ file, line: 1 }, 'an llm template needs prompt or system');
  }
  return {
    file,
    format: 'llm',
    front: readFrontMatter(renamed, file),
    system: system && parseDollars(system, file),
    prompt: prompt === undefined ? [] : parseDollars(prompt, file),
    notices: noticesOf(entries, file),
  };
}

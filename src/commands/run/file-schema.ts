import { resolveReference, type FoundPrompt } from '../../prompt-files/library/find-prompt.ts';
import type { FrontMatter } from '../../prompt-files/front-matter-keys.ts';
import { failureAt, placeText } from '../../prompt-files/place.ts';
import { isSchemaPath } from '../../schema/schema-text.ts';
import type { SchemaSource } from '../../ask/check.ts';
import { uncheckedOptions } from '../prompt/check-options.ts';
import { type LoadOptions, readTextFile } from '../prompt/load-prompt-file.ts';
import { promptPlaces } from '../prompt/prompt-places.ts';

/**
 * The schema of a prompt file: in its front matter, or in the file that it names.
 * @throws Failure with the file and the line, also for options that cannot be used with a schema
 */
export async function readOwnSchema(
  { guard, ...reading }: LoadOptions,
  options: object,
  found: FoundPrompt,
  { value, place }: NonNullable<FrontMatter['schema']>,
): Promise<SchemaSource> {
  const other = uncheckedOptions.find((name) => name in options);
  if (other !== undefined) {
    throw failureAt(place, `--${other} cannot be used with a schema`);
  }
  const label = `${placeText(place)}: schema`;
  if (typeof value !== 'string') return { text: JSON.stringify(value), label };
  if (!isSchemaPath(value)) return { text: value, label };
  const reference = { kind: 'schema', name: value, place } as const;
  const file = resolveReference(found.boundary, reference, promptPlaces(reading.context).directory);
  const content = await readTextFile(reading, file);
  const [inspected] = (await guard?.inspect([{ name: file.name, content }])) ?? [];
  return { text: inspected?.content ?? content, label: file.name };
}

import { resolveReference, type FoundPrompt } from '../../prompt-files/library/find-prompt.ts';
import type { FrontMatter } from '../../prompt-files/front-matter-keys.ts';
import { failureAt, placeText } from '../../prompt-files/place.ts';
import { isSchemaPath } from '../../schema/schema-text.ts';
import type { SchemaSource } from '../../ask/check.ts';
import { uncheckedOptions } from '../prompt/check-options.ts';
import type { AttachOptions } from '../prompt/attach-files.ts';
import type { SecretGuard } from '../prompt/guard/secret-guard.ts';
import { readTextFile } from '../prompt/load-prompt-file.ts';

export interface SchemaReading extends AttachOptions {
  /** Of the command line. */
  readonly options: object;
  readonly guard: SecretGuard | undefined;
  readonly found: FoundPrompt;
  /** The current one, for messages. */
  readonly directory: string;
}

/**
 * The schema of a prompt file: in its front matter, or in the file that it names.
 * @throws Failure with the file and the line, also for options that cannot be used with a schema
 */
export async function readOwnSchema(
  { value, place }: NonNullable<FrontMatter['schema']>,
  { options, guard, found, directory, ...attach }: SchemaReading,
): Promise<SchemaSource> {
  const other = uncheckedOptions.find((name) => name in options);
  if (other !== undefined) {
    throw failureAt(place, `--${other} cannot be used with a schema`);
  }
  const label = `${placeText(place)}: schema`;
  if (typeof value !== 'string') return { text: JSON.stringify(value), label };
  if (!isSchemaPath(value)) return { text: value, label };
  const reference = { kind: 'schema', name: value, place } as const;
  const file = resolveReference(found.boundary, reference, directory);
  const content = await readTextFile(attach, file);
  const [inspected] = (await guard?.inspect([{ name: file.name, content }])) ?? [];
  return { text: inspected?.content ?? content, label: file.name };
}

import type { FrontMatter } from '../../prompt-files/front-matter-keys.ts';
import type { FoundPrompt } from '../../prompt-files/library/find-prompt.ts';
import type { FilledPrompt, SchemaCheck } from '../../repl/session/ports.ts';
import { correctionPrompt } from '../../schema/instruction.ts';
import { describeViolations } from '../../schema/violation.ts';
import { type AnswerCheck, openCheck } from '../check/open-check.ts';
import { promptPlaces } from '../prompt/prompt-places.ts';
import { readOwnSchema } from '../run/file-schema.ts';
import type { ReplPromptsOptions } from './prompts-port.ts';

interface SchemaCheckOptions extends ReplPromptsOptions {
  readonly found: FoundPrompt;
  readonly signal: AbortSignal;
}

const checkWith = (answers: AnswerCheck): SchemaCheck => ({
  retries: answers.retries,
  check(shown, received) {
    const { violations } = answers.check(shown);
    if (violations.length === 0) return undefined;
    // The names in violations may be secrets, too.
    const sent = received === shown ? violations : answers.check(received).violations;
    const isEmpty = received.trim() === '';
    const correction = isEmpty ? undefined : correctionPrompt(sent);
    return { text: describeViolations(violations), correction };
  },
});

/** The prompt with its schema behind it, and the check of its answer. @throws Failure with the file and the line */
export async function withSchemaCheck(
  { context, notices, settings, found, signal }: SchemaCheckOptions,
  schema: NonNullable<FrontMatter['schema']>,
  filled: FilledPrompt,
): Promise<FilledPrompt> {
  const { directory } = promptPlaces(context);
  const reading = { context, notices, signal, options: {}, guard: undefined, found, directory };
  const check = openCheck(notices, {}, await readOwnSchema(schema, reading));
  const format = check.settings(settings).params['response_format'];
  const { parameters } = filled.settings;
  const set = { ...(format && { response_format: format.value }), ...parameters?.set };
  return {
    ...filled,
    content: check.prompt(filled.content),
    settings: { ...filled.settings, ...(format && { parameters: { set, removed: [] } }) },
    check: checkWith(check),
  };
}

import type { Notices } from '../../output/notices.ts';
import type { CheckOptions, SchemaSource, SelectOptions } from './check-options.ts';
import type { AnswerCheck } from './open-check.ts';

/**
 * The check that the options ask for, which is loaded only for them; undefined if answers are not checked.
 * @param own the schema without one in the options
 * @throws Failure `usage` for a schema, pointer or number that cannot be used
 */
export async function loadCheck(
  notices: Notices,
  options: CheckOptions & SelectOptions,
  own?: SchemaSource,
): Promise<AnswerCheck | undefined> {
  const { schema = own, schemaRetries, select } = options;
  if ((schema ?? schemaRetries ?? select) === undefined) return undefined;
  const { openCheck } = await import('./open-check.ts');
  return openCheck(notices, options, own);
}

import type { InputItem, ItemContent } from '../../batch/input/item.ts';
import type { Message } from '../../client/contract.ts';
import type { Notices } from '../../output/notices.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import {
  type AnswerCheck,
  type CheckOptions,
  openCheck,
  type SelectOptions,
} from '../../ask/check.ts';

/** The check of all answers, and the settings with its `response_format`. */
export interface BatchCheck {
  /** Undefined if answers are not checked. */
  readonly check: AnswerCheck | undefined;
  readonly settings: ResolvedSettings;
}

/** @throws Failure `usage` for a schema, pointer or number that cannot be used */
export async function openBatchCheck(
  notices: Notices,
  options: CheckOptions & SelectOptions,
  settings: ResolvedSettings,
): Promise<BatchCheck> {
  const check = await openCheck(notices, options);
  return { check, settings: check?.settings(settings) ?? settings };
}

/** The schema follows the prompt; after a content that is not text, it is a message by itself. */
function withSchema({ messages, ...rest }: ItemContent, check: AnswerCheck): ItemContent {
  const last = messages.at(-1);
  // Messages of an OpenAI batch request may have any content.
  const content: unknown = last?.role === 'user' ? last.content : undefined;
  if (last === undefined || typeof content !== 'string') {
    const schema: Message = { role: 'user', content: check.prompt('').trimStart() };
    return { ...rest, messages: [...messages, schema] };
  }
  return {
    ...rest,
    messages: [...messages.slice(0, -1), { ...last, content: check.prompt(content) }],
  };
}

/** The items with the schema in what is sent. */
export async function* withSchemas(
  blocks: AsyncIterable<readonly InputItem[]>,
  check: AnswerCheck,
): AsyncGenerator<readonly InputItem[], void> {
  for await (const block of blocks) {
    yield block.map((item) =>
      item.problem === undefined
        ? { ...item, content: withSchema(item.content, check), given: item.content }
        : item,
    );
  }
}

import type { ChatEvent } from '../../../client/events.ts';
import {
  type AttachedFile,
  composePrompt,
  hasInputPlaceholder,
  insertInput,
} from '../../../conversation/compose-prompt.ts';
import { toFailure } from '../../../output/ending-failure.ts';
import { count } from '../../../output/figures.ts';
import { receiveAnswer, type ReceivedAnswer } from '../../../output/receive-answer.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import type { Context } from '../../program/context.ts';
import { withHint } from '../../program/report.ts';
import { promptMessages } from '../../prompt/chat-request.ts';
import type { SecretGuard } from '../../prompt/guard/secret-guard.ts';
import type { Service } from '../../service/service.ts';
import type { AskedPrompt, PromptSender } from '../prompt-sender.ts';
import type { LineGroup } from './group-lines.ts';

/** What all groups have in common. */
export interface GroupRun {
  readonly context: Context;
  readonly settings: ResolvedSettings;
  readonly prompt: string;
  readonly files: readonly AttachedFile[];
  readonly service: Service;
  readonly sender: PromptSender;
  /** Undefined if nothing is checked. */
  readonly guard: SecretGuard | undefined;
}

export const labelOf = ({ firstLine, lastLine }: LineGroup) =>
  firstLine === lastLine
    ? `line ${count(firstLine)}`
    : `lines ${count(firstLine)}-${count(lastLine)}`;

async function ask(run: GroupRun, group: LineGroup): Promise<AskedPrompt> {
  const { settings, prompt, files, guard, sender } = run;
  const label = labelOf(group);
  const { system } = settings.values;
  const texts = [{ name: 'standard input', content: group.text, firstLine: group.firstLine }];
  const [{ content } = { content: '' }] = (await guard?.inspect(texts)) ?? texts;
  const inSystem = hasInputPlaceholder(prompt) ? undefined : insertInput(system, content);
  const input = inSystem === undefined ? content : undefined;
  const text = composePrompt({ prompt, files, input });
  const asked = sender.ask(promptMessages(inSystem ?? system, text), label);
  return { ...asked, events: guard?.restore(asked.events) ?? asked.events };
}

/** @param show undefined collects the text only @throws the reason of the context's signal */
export async function answerGroup(
  run: GroupRun,
  group: LineGroup,
  show: ((event: ChatEvent) => Promise<void> | undefined) | undefined,
): Promise<ReceivedAnswer> {
  const { context, service } = run;
  let describe: AskedPrompt['describe'] = (metadata) => metadata;
  async function* events(): AsyncGenerator<ChatEvent> {
    const asked = await ask(run, group);
    describe = asked.describe;
    yield* asked.events;
  }
  const received = await receiveAnswer(events(), {
    clock: service.clock,
    show,
    failureOf: (error) => withHint(toFailure(error), context.environment),
  });
  return { ...received, metadata: describe(received.metadata) };
}

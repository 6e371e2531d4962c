import type { ChatEvent } from '../../client/events.ts';
import type { Message } from '../../client/contract.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import type { Notices } from '../../output/notices.ts';
import { planRequest } from '../prompt/chat-request.ts';
import { createFallbackServices } from '../service/fallback.ts';
import { openService, type Service } from '../service/service.ts';
import { type ChainOptions, type FallbackServices, openChain } from './fallback.ts';

/** An answer that is about to be requested. */
export interface AskedPrompt {
  readonly events: AsyncIterable<ChatEvent>;
  /** With `--fallback`: with the model, the profile, and the models before it. */
  readonly describe: (metadata: AnswerMetadata) => AnswerMetadata;
}

/** What sends each prompt of a run that has several: the groups of `--every`, the last prompt of `--split`. */
export interface PromptSender {
  /** @param label before each warning @throws Failure if the prompt fits no model */
  ask(messages: readonly Message[], label?: string): AskedPrompt;
  /** Closes the services of other profiles. */
  close(): Promise<void>;
}

export interface PromptSenderOptions extends Omit<ChainOptions, 'messages' | 'services'> {
  readonly service: Service;
}

function labelled({ notices }: ChainOptions['presentation'], label: string | undefined): Notices {
  const text = (line: string) => (label === undefined ? line : `${label}: ${line}`);
  return {
    notice: (line) => notices.notice(text(line)),
    warning: (line) => notices.warning(text(line)),
  };
}

function askFirst(
  { context, options, settings, service }: PromptSenderOptions,
  messages: readonly Message[],
  notices: Notices,
): AskedPrompt {
  const { request, warning } = planRequest(settings, messages, options.stream);
  if (warning !== undefined) notices.warning(warning);
  const events = service.client.chat(request, { signal: context.signal });
  return { events, describe: (metadata) => metadata };
}

/** @throws Failure as {@link openChain} */
function askChain(
  { service, ...options }: PromptSenderOptions,
  messages: readonly Message[],
  notices: Notices,
  services: FallbackServices,
): AskedPrompt {
  const presentation = { ...options.presentation, notices };
  const chain = openChain({ ...options, presentation, messages, services });
  const { warning } = chain.planned;
  if (warning !== undefined) notices.warning(warning);
  return {
    events: chain.chat(service, {}, (warn) => warn()),
    describe: (metadata) => chain.describe(metadata),
  };
}

/** Other services are opened when a prompt needs them, and stay open for the next ones. */
export function openPromptSender(options: PromptSenderOptions): PromptSender {
  const { context, presentation, settings } = options;
  const services = createFallbackServices(settings.profile.value, (other, source) =>
    openService(context, presentation, options.options, other, source),
  );
  return {
    ask(messages, label) {
      const notices = labelled(presentation, label);
      return settings.values.fallback === undefined
        ? askFirst(options, messages, notices)
        : askChain(options, messages, notices, services);
    },
    close: () => services.close(),
  };
}

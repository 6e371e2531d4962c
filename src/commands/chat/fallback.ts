import type { ChatEvent } from '../../client/events.ts';
import type { Message } from '../../client/contract.ts';
import type { NewAnswer } from '../../conversation/journal/journal.ts';
import { Failure } from '../../failure.ts';
import type { AnswerMetadata } from '../../output/answer-meter.ts';
import type { AnswerPrinter } from '../../output/answer-printer.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { Presentation } from '../print/presentation.ts';
import type { Context } from '../program/context.ts';
import type { GlobalOptions } from '../program/global-options.ts';
import { planRequest, type PlannedRequest } from '../prompt/chat-request.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import {
  createFallbackServices,
  doesNotFit,
  type FailedModel,
  failureOfAll,
  type FallbackModel,
  fallbackModels,
  mayPass,
  passedModel,
  stepText,
} from '../service/fallback.ts';
import { openService, type Service } from '../service/service.ts';

/** What has a line for each step in `--jsonl`. */
type StepPrinter = Pick<AnswerPrinter, 'record'>;

type OnStep = (warn: () => void, model: string) => void;

/** The models that may answer one prompt, one after the other. */
export interface FallbackChain {
  /** Of the first model that the prompt fits. */
  readonly settings: ResolvedSettings;
  readonly planned: PlannedRequest;
  /** Of the model that answers; it changes with each step. */
  readonly answer: NewAnswer;
  /**
   * Sends the prompt to one model after the other, until one answers. A further call begins with that model.
   * @param service of {@link FallbackChain.settings}, or of the first model with {@link ChainOptions.services}
   * @param onStep calls `warn`, which prints one line, before `model` gets the prompt
   * @param messages to send, by default {@link ChainOptions.messages}
   */
  chat(
    service: Service,
    printer: StepPrinter,
    onStep: OnStep,
    messages?: readonly Message[],
  ): AsyncIterable<ChatEvent>;
  /** With the model, the profile, and the models before it. */
  describe(metadata: AnswerMetadata): AnswerMetadata;
  /** Closes the services that {@link FallbackChain.chat} has opened. */
  close(): Promise<void>;
}

export interface ChainOptions {
  readonly context: Context;
  readonly options: GlobalOptions & Pick<PromptOptions, 'stream' | 'param'>;
  readonly presentation: Presentation;
  readonly settings: ResolvedSettings;
  readonly messages: readonly Message[];
  /** Of several prompts of a run, which the caller closes; by default those of this prompt. */
  readonly services?: FallbackServices | undefined;
}

export type FallbackServices = ReturnType<typeof createFallbackServices>;

/** The plan for a model; a failure if the prompt does not fit it, but never for the last one by an estimate. */
function planFor(
  { messages, options }: ChainOptions,
  { settings }: FallbackModel,
  isLast: boolean,
): PlannedRequest | Failure {
  try {
    const planned = planRequest(settings, messages, options.stream);
    return planned.fit.state === 'over' && !isLast ? doesNotFit(planned.fit) : planned;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid_request') return error;
    throw error;
  }
}

interface Choice {
  readonly model: FallbackModel;
  readonly planned: PlannedRequest;
  /** What to report: a line for each model that was passed. */
  readonly steps: readonly string[];
}

function createSelection(options: ChainOptions) {
  const { context, settings } = options;
  const models = fallbackModels(context, options.options, settings);
  const failed: FailedModel[] = [];
  const answer: NewAnswer = { model: settings.values.model };

  /** The next model that the prompt fits, after `failure` of the current one. @throws Failure if there is none */
  function next(failure?: FailedModel): Choice {
    const steps: string[] = [];
    for (let last = failure; ;) {
      if (last !== undefined) {
        const following = models[failed.length + 1];
        if (following === undefined || !mayPass(last)) throw failureOfAll(failed[0], last);
        failed.push(last);
        steps.push(stepText(last, following));
      }
      const index = failed.length;
      const model = models[index] as FallbackModel;
      const planned = planFor(options, model, index === models.length - 1);
      if (!(planned instanceof Failure)) {
        Object.assign(answer, describeAnswer(planned, model));
        return { model, planned, steps };
      }
      last = { model, failure: planned, isTooLong: true };
    }
  }

  function describeAnswer({ request }: PlannedRequest, { settings: own }: FallbackModel) {
    const profile = own.profile.value;
    if (failed.length === 0) return { model: request.model, profile };
    const fallbackFrom = failed.map(passedModel);
    return { model: request.model, profile, fallbackFrom, nextModel: settings.values.model };
  }
  return { next, failed, answer };
}

interface Chain extends ChainOptions {
  readonly selection: ReturnType<typeof createSelection>;
  readonly services: FallbackServices;
  /** Of the model that is asked next. */
  choice: Choice;
}

async function* chat(
  chain: Chain,
  service: Service,
  printer: StepPrinter,
  onStep: OnStep,
  messages?: readonly Message[],
): AsyncGenerator<ChatEvent, void> {
  const { context, presentation, selection, services } = chain;
  const { notices } = presentation;
  for (;;) {
    const { model, planned } = chain.choice;
    let hasText = false;
    try {
      const { client } = await services.of(model, service);
      const { signal } = context;
      const request = messages === undefined ? planned.request : { ...planned.request, messages };
      for await (const event of client.chat(request, { signal })) {
        hasText ||= event.type === 'text-received' || event.type === 'refusal-received';
        yield event;
      }
      return;
    } catch (error) {
      context.signal.throwIfAborted();
      if (hasText || !(error instanceof Failure)) throw error;
      chain.choice = selection.next({ model, failure: error });
    }
    const { steps, planned: next } = chain.choice;
    onStep(() => steps.forEach((step) => notices.warning(step)), next.request.model);
    if (next.warning !== undefined) notices.warning(next.warning);
    const { model: name, profile, fallbackFrom } = selection.answer;
    await printer.record?.({ type: 'fallback-started', model: name, profile, fallbackFrom });
  }
}

/** @throws Failure if the prompt fits none of the models, or one of them cannot be used */
export function openChain(options: ChainOptions): FallbackChain {
  const { context, presentation } = options;
  const selection = createSelection(options);
  const { answer } = selection;
  const first = selection.next();
  for (const step of first.steps) presentation.notices.warning(step);
  const ownProfile = first.model.settings.profile.value;
  const services =
    options.services ??
    createFallbackServices(ownProfile, (settings, source) =>
      openService(context, presentation, options.options, settings, source),
    );
  const chain: Chain = { ...options, selection, services, choice: first };
  return {
    settings: first.model.settings,
    planned: first.planned,
    answer,
    chat: (...how) => chat(chain, ...how),
    describe(metadata) {
      const { model, profile, fallbackFrom } = answer;
      return {
        ...metadata,
        model: metadata.model ?? model,
        ...(profile !== undefined && { profile }),
        ...(fallbackFrom !== undefined && { fallbackFrom }),
      };
    },
    close: async () => (options.services === undefined ? services.close() : undefined),
  };
}

import { rephrase } from '../client/failure/change-failure.ts';
import type { Message } from '../client/contract.ts';
import type { NewAnswer } from '../conversation/journal/journal.ts';
import type { PassedModel } from '../conversation/tree.ts';
import { Failure } from '../failure.ts';
import { definedFields } from '../json.ts';
import { toFailure } from '../output/ending-failure.ts';
import { count } from '../output/figures.ts';
import { silentNotices } from '../output/notices.ts';
import type { GlobalOptions, Run } from '../run.ts';
import { parseModel, settingsOf } from '../settings/read-settings.ts';
import { knownProfiles } from '../settings/profiles.ts';
import { readStored } from '../settings/settings-file.ts';
import { type ResolvedSettings, withValues } from '../settings/resolved-settings.ts';
import { type Answer, ask, type Question, type Sink } from './ask.ts';
import type { AnswerCheck } from './check.ts';
import type { UsageSource } from '../usage/budget.ts';
import { type PlannedRequest, planRequest } from './plan-request.ts';
import { openService, type ServiceUse } from './service.ts';

export interface FallbackModel {
  /** The name that the user gave it. */
  readonly label: string;
  readonly settings: ResolvedSettings;
}

interface FailedModel {
  readonly model: FallbackModel;
  readonly failure: Failure;
}

/** The models that may answer one prompt, one after the other; a single one without fallbacks. */
export interface Chain {
  readonly models: readonly FallbackModel[];
  /** @throws Failure `invalid_request` if the prompt cannot fit the model */
  readonly plan: (model: FallbackModel, isFirst: boolean) => PlannedRequest;
  readonly onStep: (failed: FallbackModel, next: FallbackModel, text: string) => void;
}

/** The chain for one prompt. @param warn reports each step */
export const chainOf = (
  models: readonly FallbackModel[],
  messages: readonly Message[],
  stream: boolean,
  warn: (text: string) => void,
): Chain => ({
  models,
  plan: (model) => planRequest(model.settings, messages, stream),
  onStep: (_failed, _next, text) => warn(text),
});

/** The model to ask, after those that failed. */
export interface Choice {
  readonly model: FallbackModel;
  readonly planned: PlannedRequest;
  readonly failed: readonly FailedModel[];
  /** What a journal notes about the answer. */
  readonly answer: NewAnswer;
}

/** Whether a prompt is too long, by an estimate or because the service refused it. */
export const isTooLong = ({ remedy }: Failure): boolean =>
  remedy?.code === 'shorten-prompt' || remedy?.code === 'shorten-or-wait';

/** Whether the next model may help: the service fails, cannot be reached, or cannot take a prompt of this length. */
function mayFallBack(failure: Failure): boolean {
  const { kind, remedy } = failure;
  if (isTooLong(failure)) return true;
  // The user set this limit, not the service.
  if (remedy?.code === 'raise-timeout' && remedy.limit === 'totalTimeout') return false;
  return kind === 'rate_limited' || kind === 'server_error' || kind === 'unreachable';
}

/**
 * Chooses the first model that the prompt fits, after those that failed. An estimate never refuses the last one.
 * @throws Failure if there is none
 */
export function chooseModel(chain: Chain, failed: readonly FailedModel[] = []): Choice {
  const [first, second] = chain.models;
  const model = chain.models[failed.length] as FallbackModel;
  try {
    const planned = chain.plan(model, failed.length === 0);
    const { fit, request } = planned;
    if (fit.state === 'over' && failed.length < chain.models.length - 1) {
      const text = `~${count(fit.estimate)} tokens do not fit ${fit.model}'s window of ${count(fit.window ?? 0)}`;
      throw new Failure('invalid_request', text, { remedy: { code: 'shorten-prompt' } });
    }
    const fallbackFrom = failed.map((one): PassedModel => {
      const { profile, values } = one.model.settings;
      const { kind } = one.failure;
      const reason = kind === 'invalid_request' ? 'too_long' : kind;
      return { model: values.model, profile: profile.value, reason };
    });
    const answer: NewAnswer = {
      model: request.model,
      ...(second !== undefined && { profile: model.settings.profile.value }),
      ...(failed.length > 0 && { fallbackFrom, nextModel: first?.settings.values.model }),
    };
    return { model, planned, failed, answer };
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'invalid_request') throw error;
    return chooseNext(chain, failed, { model, failure: error });
  }
}

/** Chooses the model to ask after the last one has failed. @throws Failure of the first and the last one without any */
function chooseNext(chain: Chain, failed: readonly FailedModel[], last: FailedModel): Choice {
  const next = chain.models[failed.length + 1];
  const { model, failure } = last;
  const text = `${model.label}: ${failure.message}`;
  if (next !== undefined && mayFallBack(failure)) {
    chain.onStep(model, next, `${text}; falling back to ${next.label}`);
    return chooseModel(chain, [...failed, last]);
  }
  const [first] = failed;
  if (first === undefined) throw failure;
  const before = `${first.model.label}: ${first.failure.message}`;
  throw rephrase(failure, { message: `${text}; before that, ${before}`, cause: failure });
}

/**
 * Asks the chosen model, and the next ones while they fail before any text.
 * @returns the last answer, and its model
 */
export async function askModels<Given extends Answer>(
  chain: Chain,
  first: Choice,
  send: (choice: Choice) => Promise<Given>,
): Promise<Given & { readonly choice: Choice }> {
  for (let choice = first; ;) {
    const given = await send(choice);
    const { content, failure, isStopped, metadata } = given;
    const { model, profile, fallbackFrom } = choice.answer;
    const models = profile && { model: metadata.model ?? model, profile };
    const known = { ...metadata, ...models, ...definedFields({ fallbackFrom }) };
    const answer = { ...given, metadata: known, choice };
    const hasText = content !== '' || metadata.refusal !== undefined;
    if (failure === undefined || isStopped || hasText) return answer;
    try {
      choice = chooseNext(chain, choice.failed, { model: choice.model, failure });
    } catch (error) {
      return { ...answer, failure: toFailure(error), error };
    }
  }
}

/**
 * Lists the model of the settings, and those of their `fallback`. Those of the same profile get the same parameters and
 * limits, such as those of the conversation.
 * @param check what each of them is asked to conform to
 * @throws Failure for an unknown profile, one without a service, or a bad value in it
 */
export function fallbackModels(
  { context, options, settings }: Run,
  check?: AnswerCheck,
): readonly FallbackModel[] {
  const first = { label: settings.values.model, settings };
  if (settings.values.fallback === undefined) return [first];
  const stored = options.sandbox === true ? undefined : readStored(context, silentNotices);
  const profiles = stored && knownProfiles(stored);
  const kind = settings.sources.fallback.kind === 'flag' ? 'usage' : 'configuration';
  const others = settings.values.fallback.split(',').map((label): FallbackModel => {
    const own = settingsOf(context, options, parseModel(label, profiles, kind), stored);
    const { value: profile } = own.profile;
    if (profile === settings.profile.value) {
      return { label, settings: withValues(settings, { model: own.values.model }) };
    }
    if (own.values.baseUrl !== undefined) return { label, settings: check?.settings(own) ?? own };
    const hint = `‹natter auth login --profile ${profile}›`;
    throw new Failure('configuration', `the profile ${profile} of --fallback has no service`, {
      hint,
    });
  });
  const isOther = ({ settings: own }: FallbackModel) =>
    own.profile.value !== settings.profile.value || own.values.model !== settings.values.model;
  return [first, ...others.filter(isOther)];
}

/**
 * Opens the service of a run, for prompts whose answers are not recorded.
 * @throws Failure for a bad fallback, or if no service is available
 */
export async function openAsker(
  run: Run<GlobalOptions & { readonly stream: boolean }>,
  source: UsageSource,
  use?: ServiceUse,
) {
  const models = fallbackModels(run);
  const service = await openService(run, source, use);
  const { clock } = service;
  const { signal } = run.context;
  return {
    /**
     * Asks the models, one after the other. A prompt that cannot be composed or sent is an answer that failed.
     * @param warn reports that a prompt may not fit, and each step to the next model
     */
    async ask(
      compose: () => Promise<readonly Message[]>,
      warn: (text: string) => void,
      guard?: Question['guard'],
      sink?: Sink,
    ): Promise<Answer> {
      let chain: Chain;
      let first: Choice;
      try {
        chain = chainOf(models, await compose(), run.options.stream, warn);
        first = chooseModel(chain);
      } catch (error) {
        return ask({ clock, signal, send: () => Promise.reject(error) });
      }
      return askModels(chain, first, ({ model, planned }) => {
        if (planned.warning !== undefined) warn(planned.warning);
        const send = async () =>
          (await service.clientOf(model.settings)).chat(planned.request, { signal });
        return ask({ clock, signal, guard, send }, sink);
      });
    },
    close: () => service.close(),
  };
}

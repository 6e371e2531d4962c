import { Failure } from '../../failure.ts';
import { rephrase } from '../../client/failure/request-failure.ts';
import type { ContextFit } from '../../conversation/context-fit.ts';
import type { PassedModel } from '../../conversation/tree.ts';
import { count } from '../../output/figures.ts';
import { silentNotices } from '../../output/notices.ts';
import { knownProfiles } from '../../settings/profile-name.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import type { UsageSource } from '../../usage/budget.ts';
import { type NamedModelOptions, parseModel, settingsOf } from './named-model.ts';
import type { Service } from './service.ts';
import { readStored, type SettingsContext } from './settings-access.ts';

/** A model that may answer. */
export interface FallbackModel {
  /** As the user named it. */
  readonly label: string;
  readonly settings: ResolvedSettings;
}

const isSame = (left: ResolvedSettings, right: ResolvedSettings) =>
  left.profile.value === right.profile.value && left.values.model === right.values.model;

/**
 * The model of the settings, and those of their `fallback`.
 * @throws Failure for an unknown profile, one without a service, or a bad value in it
 */
export function fallbackModels(
  context: SettingsContext,
  options: NamedModelOptions,
  settings: ResolvedSettings,
): readonly FallbackModel[] {
  const stored = options.sandbox === true ? undefined : readStored(context, silentNotices);
  const profiles = stored && knownProfiles(stored);
  const kind = settings.sources.fallback.kind === 'flag' ? 'usage' : 'configuration';
  const labels = settings.values.fallback?.split(',') ?? [];
  const others = labels.map((label): FallbackModel => {
    const named = { label, ...parseModel(label, { profiles, kind }) };
    const own = settingsOf(context, options, named, stored);
    const { value: profile } = own.profile;
    const isOfSameService = profile === settings.profile.value;
    if (isOfSameService || own.values.baseUrl !== undefined) return { label, settings: own };
    throw new Failure('configuration', `the profile ${profile} of --fallback has no service`, {
      hint: `natter auth login --profile ${profile}`,
    });
  });
  const first = { label: settings.values.model, settings };
  return [first, ...others.filter((other) => !isSame(other.settings, settings))];
}

type OpenOther = (settings: ResolvedSettings, source: UsageSource) => Promise<Service>;

/**
 * The services of the models. Those of different profiles are opened when they are needed; the sandbox and a replay
 * answer for all profiles.
 * @param profile of the service in use
 */
export function createFallbackServices(profile: string, open: OpenOther) {
  const opening = new Map<FallbackModel, Promise<Service>>();
  const opened: Service[] = [];
  async function openOther(model: FallbackModel, inUse: Service): Promise<Service> {
    const service = await open(model.settings, inUse.source);
    opened.push(service);
    return service;
  }
  return {
    async of(model: FallbackModel, inUse: Service): Promise<Service> {
      const isLocal = inUse.isSandbox || inUse.replayedFrom !== undefined;
      if (isLocal || model.settings.profile.value === profile) return inUse;
      const other = opening.get(model) ?? openOther(model, inUse);
      opening.set(model, other);
      return other;
    },
    /** Closes those that were opened. */
    async close(): Promise<void> {
      for (const service of opened) await service.close();
    },
  };
}

const tooLong =
  /context.?(?:length|window|size)|(?:prompt|input|request) is too (?:long|large)|too many (?:input )?tokens|maximum number of tokens/i;

/** The service refused a prompt because of its length. */
export const isTooLong = ({ kind, message, contextWindow }: Failure): boolean =>
  kind === 'invalid_request' && (contextWindow !== undefined || tooLong.test(message));

/** The service fails, cannot be reached, or cannot take a prompt of this length. */
function mayFallBack(failure: Failure): boolean {
  const { kind, remedy } = failure;
  if (kind === 'invalid_request') return isTooLong(failure);
  // The limit of the user, not of the service.
  if (remedy?.code === 'raise-timeout' && remedy.limit === 'totalTimeout') return false;
  return kind === 'rate_limited' || kind === 'server_error' || kind === 'unreachable';
}

/** A prompt that does not fit, before it is sent. */
export function doesNotFit({ estimate, window, model }: ContextFit): Failure {
  const size = count(window ?? 0);
  return new Failure(
    'invalid_request',
    `~${count(estimate)} tokens do not fit ${model}'s window of ${size}`,
  );
}

/** A model that failed, and why. */
export interface FailedModel {
  readonly model: FallbackModel;
  readonly failure: Failure;
  /** The prompt does not fit, by an estimate. */
  readonly isTooLong?: boolean;
}

/** Whether the next model may answer. */
export const mayPass = (failed: FailedModel): boolean =>
  failed.isTooLong === true || mayFallBack(failed.failure);

export function passedModel({ model, failure }: FailedModel): PassedModel {
  const { profile, values } = model.settings;
  const reason = failure.kind === 'invalid_request' ? 'too_long' : failure.kind;
  return { model: values.model, profile: profile.value, reason };
}

export const stepText = ({ model, failure }: FailedModel, next: FallbackModel): string =>
  `${model.label}: ${failure.message}; falling back to ${next.label}`;

/** The failure of the last model, with that of the first in its message. */
export function failureOfAll(first: FailedModel | undefined, last: FailedModel): Failure {
  if (first === undefined) return last.failure;
  const { model, failure } = first;
  return rephrase(last.failure, {
    message: `${last.model.label}: ${last.failure.message}; before that, ${model.label}: ${failure.message}`,
    cause: last.failure,
  });
}

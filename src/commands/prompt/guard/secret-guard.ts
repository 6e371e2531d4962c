import { isLoopbackName } from '../../../address.ts';
import type { ChatEvent } from '../../../client/events.ts';
import type { AttachedFile } from '../../../conversation/compose-prompt.ts';
import { Failure } from '../../../failure.ts';
import type { SecretGuardMode } from '../../../settings/definitions.ts';
import type { ResolvedSettings } from '../../../settings/resolved-settings.ts';
import type { Context } from '../../program/context.ts';
import type { GlobalOptions } from '../../program/global-options.ts';
import type { ParamOptions } from '../prompt-options.ts';
import { chooseRecording } from '../../service/recording-choice.ts';
import type { InspectedText, Plan, Redaction } from './inspect-texts.ts';
import { fallbackModels } from '../../service/fallback.ts';
import { inspectTexts } from './inspect-texts.ts';

export type { Plan };

export interface GuardOptions extends GlobalOptions {
  readonly allowSecrets?: boolean;
  readonly redact?: boolean;
  readonly dryRun?: boolean;
}

/** What piped and attached text passes before it is sent. */
export interface SecretGuard {
  /**
   * The texts as they may be sent.
   * @throws Failure `secrets` if they may not
   */
  readonly inspect: (texts: readonly InspectedText[]) => Promise<readonly AttachedFile[]>;
  /** Puts the redacted secrets back. */
  restore(events: AsyncIterable<ChatEvent>): AsyncIterable<ChatEvent>;
}

/**
 * `off` for what stays on this machine: a loopback address, the sandbox, a replay, a dry run. `--redact` applies there,
 * too.
 * @throws Failure `usage` for options that cannot be used together
 */
export function guardMode(
  { environment }: Context,
  options: GuardOptions,
  { baseUrl, secretGuard }: Pick<ResolvedSettings['values'], 'baseUrl' | 'secretGuard'>,
): SecretGuardMode {
  const { allowSecrets = false, redact = false, dryRun = false, sandbox = false } = options;
  if (allowSecrets && redact) {
    throw new Failure('usage', '--redact and --allow-secrets cannot be used together', {
      hint: 'use only one of them',
    });
  }
  if (redact) return 'redact';
  const isLocal = baseUrl === undefined || isLoopbackName(new URL(baseUrl).hostname);
  const isHere = isLocal || sandbox || dryRun;
  if (allowSecrets || isHere || chooseRecording(options, environment).replay !== undefined) {
    return 'off';
  }
  return secretGuard;
}

/** Of all services that may get the prompt. */
async function destinations(
  context: Context,
  options: GuardOptions & ParamOptions,
  settings: ResolvedSettings,
): Promise<readonly ResolvedSettings[]> {
  if (settings.values.fallback === undefined) return [settings];
  return fallbackModels(context, options, settings).map((model) => model.settings);
}

/** What to do about secrets, and the service that gets them; undefined if nothing is checked. @throws Failure `usage` */
export async function planGuard(
  context: Context,
  options: GuardOptions & ParamOptions,
  own: ResolvedSettings,
): Promise<Plan | undefined> {
  const modes = (await destinations(context, options, own)).map((settings) => ({
    settings,
    mode: guardMode(context, options, settings.values),
  }));
  return modes.find(({ mode }) => mode !== 'off');
}

/** The guard of one prompt; undefined if its input is not checked. @throws Failure `usage` */
export async function openSecretGuard(
  context: Context,
  options: GuardOptions & ParamOptions,
  own: ResolvedSettings,
): Promise<SecretGuard | undefined> {
  const plan = await planGuard(context, options, own);
  if (plan === undefined) return undefined;
  let redaction: Redaction | undefined;
  return {
    async inspect(texts) {
      if (texts.every(({ content }) => content === '')) return texts;
      const inspected = await inspectTexts(context, options, { ...plan, redaction }, texts);
      ({ redaction } = inspected);
      return inspected.texts;
    },
    restore: (events) => redaction?.restore(events) ?? events,
  };
}

import { Failure, type FailureKind } from '../failure.ts';
import { silentNotices } from '../output/notices.ts';
import { defaultProfile } from './profiles.ts';
import type { ResolvedSettings } from './resolved-settings.ts';
import { ownEntry, type StoredSettings } from './settings-file.ts';
import type { GlobalOptions, Context } from '../run.ts';
import { readRequestSettings } from './read-settings.ts';

/** A model as the user names it: `llama3` or `local:llama3`. */
export type NamedModel = ReturnType<typeof parseModel>;

/** Tags of models in Ollama and elsewhere, as after the colon of `llama3:8b`, `gemma3n:e4b` and `phi3:mini`. */
const modelTag =
  /^(?:\d|e\d+b|v\d|(?:latest|cloud|free|instruct|chat|base|mini|medium|text|code|vision|thinking)(?:-|$))/i;
const profileName = /^[A-Za-z0-9_][\w.-]*$/;
/** OpenAI's fine-tuned models: `ft:gpt-4o-mini:team::id`. */
const fineTuned = 'ft';

/**
 * Reads the name of a model. The text before the first colon is a profile if there is one of that name. Otherwise the
 * whole text is a model if the text after the colon is usual for one, or the text before it cannot be a profile.
 * @param profiles undefined for the sandbox, which has none: all names are models
 * @throws Failure of this kind for a name that looks like an unknown profile, which would be sent to the service in use
 */
export function parseModel(
  text: string,
  profiles: readonly string[] | undefined,
  kind: FailureKind,
) {
  const colon = text.indexOf(':');
  // Without a profile, the current one.
  const whole = { label: text, profile: undefined, model: text };
  if (colon < 0 || profiles === undefined) return whole;
  const [profile, model] = [text.slice(0, colon), text.slice(colon + 1)];
  if (profiles.includes(profile)) {
    // Without a model, that of the profile.
    return { label: text, profile, model: model === '' ? undefined : model };
  }
  if (!profileName.test(profile) || profile === fineTuned || modelTag.test(model)) return whole;
  throw new Failure(
    kind,
    `there is no profile ${profile} for ${text}; the profiles are ${profiles.join(', ')}`,
    { hint: `a model of that name needs its profile, as in ${defaultProfile}:${text}` },
  );
}

/**
 * Reads the settings of a named model. If its profile has a base URL, it wins over the flag and the environment
 * variable, whose key is not sent to it.
 */
export function settingsOf(
  context: Context,
  options: GlobalOptions,
  { profile, model }: NamedModel,
  stored: StoredSettings | undefined,
): ResolvedSettings {
  if (profile === undefined) return readRequestSettings(context, silentNotices, options, { model });
  const profileUrl = ownEntry(stored?.settings.profiles ?? {}, profile)?.['base-url'];
  const hasUrl = profileUrl !== undefined;
  const service = ['NATTER_BASE_URL', 'NATTER_API_KEY', 'NATTER_API_KEY_COMMAND'];
  const ignored = new Set(['NATTER_MODEL', ...(hasUrl ? service : [])]);
  const variables = Object.entries(context.environment);
  const environment = Object.fromEntries(variables.filter(([name]) => !ignored.has(name)));
  const flags = { model, profile, baseUrl: hasUrl ? undefined : options.baseUrl };
  return readRequestSettings({ ...context, environment }, silentNotices, options, flags);
}

import { isSet } from '../environment.ts';
import { Failure, type FailureKind } from '../failure.ts';
import { type Notices, silentNotices } from '../output/notices.ts';
import type { Context, GlobalOptions, Run, StartedRun } from '../run.ts';
import { definitions } from './definitions.ts';
import { readWindows, withWindow } from './model-windows.ts';
import { chooseProfile, defaultProfile } from './profiles.ts';
import { resolveSettings, type SettingFlags } from './resolve.ts';
import type { ResolvedSettings } from './resolved-settings.ts';
import { withRole } from './role.ts';
import { parseParameterFlag } from './setting-value.ts';
import { nothingStored, ownEntry, readStored, type StoredSettings } from './settings-file.ts';

/** Prints notices about what overrides a stored base URL and key. */
export function noticeOverrides(
  { context: { environment }, presentation: { notices }, settings }: Run,
  stored: { readonly baseUrl: string; readonly apiKey: string | undefined },
): void {
  const values = {
    NATTER_BASE_URL: stored.baseUrl,
    NATTER_API_KEY: stored.apiKey,
    NATTER_API_KEY_COMMAND: undefined,
  };
  for (const [name, value] of Object.entries(values)) {
    const isOther = isSet(environment, name) && environment[name]?.trim() !== value;
    if (isOther) notices.notice(`${name} is set and overrides the stored value`);
  }
  if (settings.sources.apiKeyCommand.kind === 'profile') {
    notices.notice(
      'api-key-command is set and overrides the stored key; to use that: ‹natter config unset api-key-command›',
    );
  }
}

/** Masks the secrets of these settings from now on. */
export function keepSecrets(
  { secrets }: Context,
  { apiKey, headers, values }: ResolvedSettings,
): void {
  secrets.keep({ apiKey: apiKey?.value, headers, addresses: [values.baseUrl] });
}

/** The settings for conversations and the terminal. */
const terminalNames: ReadonlySet<string> = new Set(
  [
    'shell-commands continue keep compact editing theme wrap times notify notify-after progress',
    'window-title prompt-marks keys colors',
  ].flatMap((names) => names.split(' ')),
);

/**
 * Reads the settings files for the sandbox, which works without them, too. Its only profile, the default one, has the
 * settings of the chosen profile for conversations and the terminal, but not those of a service and its requests.
 */
function readForSandbox(
  context: Context,
  notices: Notices,
  { profile: flag }: GlobalOptions,
): StoredSettings {
  try {
    const stored = readStored(context, notices);
    const { value } = chooseProfile(flag, context.environment, stored);
    const own = Object.entries(ownEntry(stored.settings.profiles, value) ?? {});
    const kept = Object.fromEntries(own.filter(([name]) => terminalNames.has(name)));
    return { ...nothingStored, settings: { profiles: { [defaultProfile]: kept } } };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    notices.warning(`${error.message}; the sandbox uses the default settings`);
    return nothingStored;
  }
}

/**
 * Reads the settings in force. With `--sandbox`, these are only those of the profile for conversations and the
 * terminal, because the others describe a different service.
 * @throws Failure for a bad value or file
 */
export function readSettings(
  context: Context,
  notices: Notices,
  options: GlobalOptions,
  flags: SettingFlags = {},
): ResolvedSettings {
  const { environment } = context;
  const isSandbox = options.sandbox === true;
  const settings = resolveSettings({
    flags: { ...options, ...flags, ...(isSandbox && { profile: undefined }) },
    environment: isSandbox ? { ...environment, NATTER_PROFILE: undefined } : environment,
    stored: isSandbox ? readForSandbox(context, notices, options) : readStored(context, notices),
  });
  keepSecrets(context, settings);
  const windows = readWindows(context, settings.values.baseUrl, notices);
  return { ...settings, windows: withWindow(windows, settings.values) };
}

/**
 * Reads the settings in force for a command that sends prompts, with the fields of `--param` and the role.
 * @param changes override the options
 * @throws Failure for a bad value or file
 */
export function readRequestSettings(
  context: Context,
  notices: Notices,
  options: GlobalOptions,
  changes: SettingFlags = {},
): ResolvedSettings {
  const params = Object.fromEntries((options.param ?? []).map(parseParameterFlag));
  return withRole(context, readSettings(context, notices, options, { ...changes, params }));
}

/**
 * Adds the settings in force to the run of a command that uses a service.
 * @throws Failure for a bad value or file
 */
export function withSettings<Options extends GlobalOptions>(
  run: StartedRun<Options>,
  read = readRequestSettings,
): Run<Options> {
  return { ...run, settings: read(run.context, run.presentation.notices, run.options) };
}

/**
 * Finds what to report where the profile in use has no service, but others have one: the problem, and the command that
 * uses the first of them. Undefined if no profile has one.
 */
export function otherProfiles(
  context: Context,
  { profile }: ResolvedSettings,
): { readonly problem: string; readonly hint: string } | undefined {
  // The warnings were printed when the settings were read.
  const stored = readStored(context, silentNotices);
  const others = Object.entries(stored.settings.profiles)
    .filter(([name, own]) => name !== profile.value && Object.hasOwn(own, definitions.baseUrl.name))
    .map(([name]) => name)
    .toSorted();
  const [first] = others;
  if (first === undefined) return undefined;
  return {
    problem: `profile ${profile.value} has no service; those with one: ${others.join(', ')}`,
    hint: `‹natter config use ${first}›`,
  };
}

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
  const hasUrl = ownEntry(stored?.settings.profiles ?? {}, profile)?.['base-url'] !== undefined;
  const service = ['NATTER_BASE_URL', 'NATTER_API_KEY', 'NATTER_API_KEY_COMMAND'];
  const ignored = new Set(['NATTER_MODEL', ...(hasUrl ? service : [])]);
  const variables = Object.entries(context.environment);
  const environment = Object.fromEntries(variables.filter(([name]) => !ignored.has(name)));
  const flags = { model, profile, baseUrl: hasUrl ? undefined : options.baseUrl };
  return readRequestSettings({ ...context, environment }, silentNotices, options, flags);
}

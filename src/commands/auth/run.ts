import { isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import { chooseProfile, defaultProfile } from '../../settings/profile-name.ts';
import {
  getStoredSetting,
  hasKey,
  removeCredential,
  saveService,
} from '../../settings/profiles.ts';
import {
  describeSource,
  describeUnsent,
  type ResolvedSettings,
  withKey,
} from '../../settings/resolved-settings.ts';
import { listSettings, settingRow } from '../../settings/setting-rows.ts';
import type { Action, Context, GlobalOptions, JsonOptions, Run } from '../../run.ts';
import { printSettings } from '../../output/print-data.ts';
import { chooseRecording } from '../../ask/recording-choice.ts';
import { readSettings, noticeOverrides, withSettings } from '../../settings/read-settings.ts';
import { changeStored, readStored } from '../../settings/settings-file.ts';
import { findStoredPath } from '../config/stored-paths.ts';
import {
  checkService,
  noticeCheck,
  findApi,
  mayBeWrongAddress,
  throwRefusal,
  throwWithoutService,
} from './check-service.ts';
import { collectBytes } from '../../input/attach-files.ts';
import { decodeText } from '../../conversation/decode-text.ts';
import { definitions } from '../../settings/definitions.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import { parseApiKey, parseSettingValue } from '../../settings/setting-value.ts';

export interface StatusOptions extends JsonOptions {
  readonly check?: boolean;
}

const shownSettings = new Set(['base-url', 'model', 'api-key']);

/** Where the key is from, beyond what the table shows. */
function keySource(context: Context, settings: ResolvedSettings, isChecked: boolean) {
  const { apiKey, apiKeyCommand, sources, values } = settings;
  if (apiKey?.source.kind === 'profile') {
    return `the key is stored in ${findStoredPath(context, 'credentials').path}`;
  }
  const command = describeSource(sources.apiKeyCommand);
  if (apiKeyCommand !== undefined) {
    const advice = isChecked ? '' : ', which was not run; --check runs it';
    return `the key is from api-key-command (${command})${advice}`;
  }
  if (values.apiKeyCommand === undefined) return undefined;
  if (apiKey !== undefined) return `${apiKey.source.name} overrides api-key-command (${command})`;
  const isForOthers = values.baseUrl !== undefined && sources.apiKeyCommand.kind === 'environment';
  const variable = sources.apiKeyCommand.name;
  return isForOthers ? `${variable} is not run for a service on this machine` : undefined;
}

/** Runs `natter auth status`. @throws Failure, `configuration` with `--check` if nothing can answer */
export const showStatus: Action<StatusOptions> = async (started) => {
  const run = withSettings(started, readSettings);
  const { context, options, presentation, settings } = run;
  const profile = settingRow('profile', settings.profile.value, settings.profile.source);
  const shown = listSettings(settings).filter(
    ({ name, value }) =>
      shownSettings.has(name) || (name === 'api-key-command' && value !== undefined),
  );
  await printSettings(run, [profile, ...shown]);
  const { notices } = presentation;
  const { values } = settings;
  const { replay } = chooseRecording(options, context.environment);
  const isChecked = options.check === true;
  if (options.json !== true) {
    const key = keySource(context, settings, isChecked);
    if (key !== undefined) notices.notice(key);
    for (const secret of settings.unsentSecrets) notices.notice(describeUnsent(secret));
    if (replay !== undefined) {
      notices.notice(`answers come from the recording ${replay.file}, not from a service`);
    } else if (values.baseUrl === undefined && !isChecked) {
      notices.notice('no service is configured; connect one with ‹natter auth login›');
    }
  }
  if (!isChecked) return;
  const answerer = replay?.file ?? (options.sandbox === true ? 'the sandbox' : values.baseUrl);
  if (answerer === undefined) {
    throw new Failure('configuration', 'no service is configured, so there is nothing to check', {
      hint: 'run ‹natter auth login›, or set NATTER_BASE_URL',
    });
  }
  const once = { ...settings, values: { ...values, retries: 0 } };
  noticeCheck(run, answerer, await checkService({ ...run, settings: once }));
};

export const logout: Action<GlobalOptions> = async ({ context, options, presentation }) => {
  const { notices } = presentation;
  const stored = readStored(context, notices);
  const { environment } = context;
  const { value: profile } = chooseProfile(options.profile, environment, stored);
  if (!hasKey(stored, profile)) {
    notices.notice(`profile ${profile} has no stored key`);
  } else {
    await changeStored(context, (before) => removeCredential(before, profile));
    notices.notice(`deleted the key of profile ${profile}`);
  }
  for (const name of ['NATTER_API_KEY', 'NATTER_API_KEY_COMMAND']) {
    if (isSet(environment, name)) notices.notice(`${name} is still set and takes effect`);
  }
  if (getStoredSetting(stored, profile, 'api-key-command') !== undefined) {
    notices.notice(`api-key-command is still set in profile ${profile} and takes effect`);
  }
};

const maxAttempts = 3;

const canAsk = ({ context, options }: Run<LoginOptions>) =>
  context.streams.stdin.isTerminal && options.input;

/**
 * Asks for the address and the key, and checks them. On a terminal it asks again, with a warning, for the one that is
 * refused; the key remains the one for the service after a wrong address.
 */
async function connect<Result>(
  run: Run<LoginOptions>,
  check: (baseUrl: string, key: string) => Promise<Result>,
): Promise<Result> {
  let baseUrl: string | undefined;
  let key: string | undefined;
  let isKeyAgain = false;
  for (let number = 1; ; number += 1) {
    const address = baseUrl ?? (await askBaseUrl(run, number > 1));
    try {
      const origin = { label: 'the base URL', kind: 'usage' } as const;
      baseUrl = parseSettingValue(definitions.baseUrl, address, origin);
      key ??= await askKey(run, isKeyAgain);
      return await check(baseUrl, key);
    } catch (error) {
      const isUnread = baseUrl !== undefined && key === undefined;
      const isFinal = isUnread || number === maxAttempts || !canAsk(run);
      if (isFinal || !(error instanceof Failure)) throw error;
      if (baseUrl === undefined || mayBeWrongAddress(error)) baseUrl = undefined;
      else if (/^(?:usage|unauthorized)$/.test(error.kind)) {
        key = undefined;
        isKeyAgain = true;
      } else throw error;
      run.presentation.notices.warning(`${error.message}; try again, or press Ctrl+C to quit`);
    }
  }
}

/**
 * The base URL of the flag or environment, else the one that the user enters.
 * @param isAgain asks also if the flag or environment has one
 * @throws Failure `usage`
 */
async function askBaseUrl(run: Run<LoginOptions>, isAgain: boolean): Promise<string> {
  const { context, settings } = run;
  const { baseUrl: known } = settings.values;
  const isExplicit = !isAgain && settings.sources.baseUrl.kind !== 'profile';
  if (known !== undefined && (isExplicit || !canAsk(run))) return known;
  if (!canAsk(run)) {
    throw new Failure('usage', 'no base URL is set', {
      hint: 'pass it: ‹natter auth login --base-url https://api.example.com›',
    });
  }
  const question = `Base URL of the service${known === undefined ? '' : ` [${known}]`}: `;
  const options = { signal: context.signal, keep: true, discardTyped: isAgain };
  const answer = await context.ask(question, options);
  return answer.trim() === '' && known !== undefined ? known : answer;
}

const maxKeyLength = 8192;

/**
 * Reads the key from standard input, or asks for it; empty if the service needs none.
 * @param isAgain discards text typed before the question
 * @throws Failure `usage`
 */
async function askKey({ context, options }: Run<LoginOptions>, isAgain: boolean): Promise<string> {
  const { signal } = context;
  const { stdin } = context.streams;
  if (!stdin.isTerminal) {
    const refuse = () => new Failure('usage', 'standard input is too long for a key');
    const bytes = await collectBytes(stdin.bytes(signal), maxKeyLength, refuse);
    // PowerShell writes UTF-16 with a byte order mark. Parsing the key refuses bytes that are not text.
    const key = decodeText(bytes, { source: 'standard input', lossy: true });
    if (key.trim() !== '') return key;
    throw new Failure('usage', 'standard input has no API key', {
      hint: 'pipe it in: printf %s "$KEY" | ‹natter auth login›',
    });
  }
  if (!options.input) {
    throw new Failure('usage', 'with --no-input, the key must be piped in', {
      hint: '‹natter auth login --no-input < key.txt›',
    });
  }
  const question = 'API key (not shown; empty for none): ';
  return context.ask(question, { hidden: true, signal, keep: true, discardTyped: isAgain });
}

interface LoginOptions extends GlobalOptions {
  /** False with `--no-check`. */
  readonly check: boolean;
}

/** Runs `natter auth login`. Stores nothing unless the check succeeds. @throws Failure */
export const login: Action<LoginOptions> = async (started) => {
  const { context, options, presentation } = started;
  if (options.sandbox === true) {
    throw new Failure('usage', 'the sandbox needs no login', {
      hint: '‹natter --sandbox "a prompt"› answers without a key',
    });
  }
  if (chooseRecording(options, context.environment).replay !== undefined) {
    throw new Failure('usage', 'a recording needs no login', {
      hint: 'leave out --replay, or unset NATTER_REPLAY, to connect to a service',
    });
  }
  const { notices } = presentation;
  const stored = readStored(context, notices);
  const { environment } = context;
  const resolve = (flags: LoginOptions) =>
    resolveSettings({ flags, environment, stored, allowNewProfile: true });
  const run = { ...started, settings: resolve(options) };
  const check = async (baseUrl: string, text: string) => {
    // Resolved again, so that the secret headers of the profile are not sent to the new URL.
    const settings = resolve({ ...options, baseUrl });
    const apiKey = text.trim() === '' ? undefined : parseApiKey(text, 'the API key', 'usage');
    context.secrets.keep({ apiKey });
    const source = { kind: 'flag', name: 'login' } as const;
    const key = apiKey === undefined ? undefined : { value: apiKey, source };
    const refuse = throwRefusal(baseUrl, hasKey(stored, settings.profile.value));
    const checked = options.check
      ? await findApi({ ...run, settings: withKey(settings, key) }).catch(refuse)
      : { result: 'not checked', models: [] };
    return { ...checked, apiKey, baseUrl, settings };
  };
  const input = await connect(run, check).catch(throwWithoutService).finally(context.ask.end);
  const { apiKey, baseUrl, settings } = input;
  const { value: profile, source } = settings.profile;
  const hadKey = hasKey(stored, profile);
  const apiPath = input.apiPath ?? settings.values.apiPath;
  const { settings: saved } = await changeStored(context, (before) =>
    saveService(before, profile, { apiKey, baseUrl, apiPath }),
  );
  noticeCheck({ ...run, settings }, baseUrl, input);
  if (input.apiPath !== undefined) {
    notices.notice(`api-path is ${input.apiPath}, because the API is at this path`);
  }
  const { path } = findStoredPath(context, apiKey === undefined ? 'settings' : 'credentials');
  notices.notice(`stored in profile ${profile}: ${path}`);
  if (hadKey && apiKey === undefined) notices.notice('the previously stored key was deleted');
  if (source.kind === 'flag' && profile !== (saved.profile ?? defaultProfile)) {
    notices.notice(`‹natter config use ${profile}› makes it the current profile`);
  }
  noticeOverrides({ ...run, settings }, { apiKey, baseUrl });
};

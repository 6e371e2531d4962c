import { detailsOf } from '../../client/failure/change-failure.ts';
import { collectBytes } from '../../input/attach-files.ts';
import { decodeText } from '../../conversation/decode-text.ts';
import { Failure } from '../../failure.ts';
import { definitions } from '../../settings/definitions.ts';
import { defaultProfile } from '../../settings/profile-name.ts';
import {
  removeCredential,
  saveCredential,
  setApiPath,
  setStoredSetting,
} from '../../settings/profiles.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import type { ResolvedSettings } from '../../settings/resolved-settings.ts';
import { parseApiKey, parseSettingValue } from '../../settings/setting-value.ts';
import { ownEntry, type StoredSettings } from '../../settings/stored-settings.ts';
import { type Context, type GlobalOptions, present, type Run } from '../../run.ts';
import { chooseRecording } from '../../ask/recording-choice.ts';
import { changeStored, noticeOverrides, readStored } from '../../settings/read-settings.ts';
import { findStoredPath } from '../config/stored-paths.ts';
import { findApi, modelHint, throwRefusal } from './check-service.ts';

const maxAttempts = 3;

const canAsk = ({ context, options }: Run<LoginOptions>) =>
  context.streams.stdin.isTerminal && options.input;

/**
 * Runs `attempt`, and on a terminal runs it again, with a warning, if the input was refused. The first attempt has
 * the number 1.
 */
async function askAgain<Result>(
  run: Run<LoginOptions>,
  attempt: (number: number) => Promise<Result>,
): Promise<Result> {
  const { notices } = run.presentation;
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      const isFinal = !canAsk(run) || number === maxAttempts;
      // Another key can help, too.
      const isRefusal =
        error instanceof InvalidInput ||
        (error instanceof Failure && error.kind === 'unauthorized');
      if (isFinal || !isRefusal) throw error;
      notices.warning(`${error.message}; try again, or press Ctrl+C to quit`);
    }
  }
}

/** The input is not valid; unlike for the end of the input, it can be entered again. */
class InvalidInput extends Failure {}

/** @throws InvalidInput for a failure of `parse` */
function parseInput<Value>(parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new InvalidInput(error.kind, error.message, detailsOf(error));
  }
}

/** The base URL of the flag or environment, else the one that the user enters. @throws Failure `usage` */
async function askBaseUrl(run: Run<LoginOptions>): Promise<string> {
  const { context, settings } = run;
  const { baseUrl: known } = settings.values;
  const isExplicit = settings.sources.baseUrl.kind !== 'profile' && known !== undefined;
  if (isExplicit) return known;
  if (!canAsk(run)) {
    if (known !== undefined) return known;
    throw new Failure('usage', 'no base URL is set', {
      hint: 'pass it: ‹natter auth login --base-url https://api.example.com›',
    });
  }
  const question = `Base URL of the service${known === undefined ? '' : ` [${known}]`}: `;
  // Refuses an invalid URL before it asks for the key.
  return askAgain(run, async (number) => {
    const { signal } = context;
    const answer = await context.ask(question, { signal, keep: true, discardTyped: number > 1 });
    if (answer.trim() === '' && known !== undefined) return known;
    const origin = { label: 'the base URL', kind: 'usage' } as const;
    return parseInput(() => parseSettingValue(definitions.baseUrl, answer, origin));
  });
}

const maxKeyLength = 8192;

/**
 * The key from standard input, or the one that the user enters; undefined for an empty line, if the service needs none.
 * @param isAgain discards text typed before the question
 * @throws Failure `usage`
 */
async function askKey(
  { context, options }: Run<LoginOptions>,
  isAgain: boolean,
): Promise<string | undefined> {
  const { signal } = context;
  const { stdin } = context.streams;
  if (!stdin.isTerminal) {
    const refuse = () => new Failure('usage', 'standard input is too long for a key');
    const bytes = await collectBytes(stdin.bytes(signal), maxKeyLength, refuse);
    // PowerShell writes UTF-16 with a byte order mark. Parsing the key refuses bytes that are not text.
    const key = decodeText(bytes, { source: 'standard input', lossy: true });
    if (key.trim() !== '') return parseApiKey(key, 'the API key', 'usage');
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
  const text = await context.ask(question, {
    hidden: true,
    signal,
    keep: true,
    discardTyped: isAgain,
  });
  if (text.trim() === '') return undefined;
  return parseInput(() => parseApiKey(text, 'the API key', 'usage'));
}

export interface LoginOptions extends GlobalOptions {
  /** False with `--no-check`. */
  readonly check: boolean;
}

/** The settings with the new key, or without a key. */
function withKey(settings: ResolvedSettings, apiKey: string | undefined): ResolvedSettings {
  const { apiKey: _old, apiKeyCommand: _command, ...others } = settings;
  return {
    ...others,
    unsentSecrets: settings.unsentSecrets.filter(({ what }) => what !== 'API key'),
    ...(apiKey !== undefined && {
      apiKey: { value: apiKey, source: { kind: 'flag', name: 'login' } },
    }),
  };
}

const hasKey = (stored: StoredSettings, { profile }: ResolvedSettings) =>
  ownEntry(stored.credentials.profiles, profile.value) !== undefined;

/** Asks for the base URL and the key, and asks again for a key that the service refuses. @throws Failure */
async function askAndCheck(
  run: Run<LoginOptions>,
  stored: StoredSettings,
  resolve: (flags: LoginOptions) => ResolvedSettings,
) {
  const { context, options } = run;
  const baseUrl = await askBaseUrl(run);
  // Resolved again, so that the secret headers of the profile are not sent to the new URL.
  const settings = resolve({ ...options, baseUrl });
  return askAgain(run, async (number) => {
    const apiKey = await askKey(run, number > 1);
    context.secrets.keep({ apiKey });
    const checked = options.check
      ? await findApi({ ...run, settings: withKey(settings, apiKey) }).catch(
          throwRefusal(baseUrl, hasKey(stored, settings)),
        )
      : { result: 'not checked', models: [] };
    return { ...checked, apiKey, baseUrl, settings };
  });
}

/** Runs `natter auth login`. Stores nothing unless the check succeeds. @throws Failure */
export async function login(context: Context, options: LoginOptions): Promise<void> {
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
  const presentation = await present(context, options);
  const { notices } = presentation;
  const stored = readStored(context, notices);
  const { environment } = context;
  const resolve = (flags: LoginOptions) =>
    resolveSettings({ flags, environment, stored, allowNewProfile: true });
  const run = { context, options, presentation, settings: resolve(options) };
  const input = await askAndCheck(run, stored, resolve).finally(context.ask.end);
  const { result, models, settings } = input;
  const { value: profile, source } = settings.profile;
  const hadKey = hasKey(stored, settings);
  const { apiKey, baseUrl } = input;
  const apiPath = input.apiPath ?? settings.values.apiPath;
  const { settings: saved } = await changeStored(context, (before) => {
    const changed =
      apiKey === undefined
        ? removeCredential(setStoredSetting(before, profile, 'base-url', baseUrl), profile)
        : saveCredential(before, profile, { apiKey, baseUrl });
    return setApiPath(changed, profile, apiPath);
  });
  notices.notice(`${baseUrl} ${result}`);
  if (input.apiPath !== undefined) {
    notices.notice(`api-path is ${input.apiPath}, because the API is at this path`);
  }
  const hint = modelHint(models, settings.values.model, settings.profile);
  if (hint !== undefined) notices.notice(hint);
  const { path } = findStoredPath(context, apiKey === undefined ? 'settings' : 'credentials');
  notices.notice(`stored in profile ${profile}: ${path}`);
  if (hadKey && apiKey === undefined) notices.notice('the previously stored key was deleted');
  if (source.kind === 'flag' && profile !== (saved.profile ?? defaultProfile)) {
    notices.notice(`‹natter config use ${profile}› makes it the current profile`);
  }
  noticeOverrides(context.environment, notices);
  if (settings.sources.apiKeyCommand.kind === 'profile') {
    notices.notice(
      'api-key-command is set and overrides the stored key; to use that: ‹natter config unset api-key-command›',
    );
  }
}

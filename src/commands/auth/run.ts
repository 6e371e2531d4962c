import { isSet } from '../../environment.ts';
import { Failure } from '../../failure.ts';
import {
  chooseProfile,
  defaultProfile,
  getStoredSetting,
  hasKey,
  saveService,
} from '../../settings/profiles.ts';
import {
  describeSource,
  type ResolvedSettings,
  withKey,
} from '../../settings/resolved-settings.ts';
import { listSettings, settingRow } from '../../settings/setting-rows.ts';
import type { Action, Context, GlobalOptions, JsonOptions, Run } from '../../run.ts';
import { silentNotices } from '../../output/notices.ts';
import { printSettings } from '../../output/print-data.ts';
import { chooseRecording } from '../../ask/recording-choice.ts';
import { readSettings, noticeOverrides, withSettings } from '../../settings/read-settings.ts';
import { changeStored, readStored } from '../../settings/settings-file.ts';
import { findStoredPath } from '../config/command.ts';
import { collectBytes } from '../../input/attach-files.ts';
import { decodeText } from '../../conversation/decode-text.ts';
import { definitions } from '../../settings/definitions.ts';
import { resolveSettings } from '../../settings/resolve.ts';
import { parseApiKey, parseValue } from '../../settings/setting-value.ts';
import { withHint } from '../../cli/report.ts';
import { guessesApiPath, parseBaseUrl, usualApiPath } from '../../client/http/base-url.ts';
import { detailsOf, rephrase } from '../../client/failure/change-failure.ts';
import type { Client } from '../../client/client.ts';
import type { ModelRecord } from '../../client/contract.ts';
import { openService, type Service } from '../../ask/service.ts';

/** `origin, nextgen and 3 more`; undefined without a model. */
export function firstModels(ids: readonly string[]): string | undefined {
  if (ids.length === 0) return undefined;
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ` and ${ids.length - 5} more` : '');
}

interface ServiceCheck {
  /** A predicate for the base URL: `answered: it offers origin`. */
  readonly result: string;
  readonly models: readonly ModelRecord[];
  /** That of the API; undefined for the one that natter assumes. */
  readonly apiPath?: string | undefined;
}

/** A model for a hint: users paste it into a shell, and the ids are from the service. */
export function modelToSet(ids: readonly string[]): string {
  return ids.find((known) => /^[\w./:@+][\w./:@+-]*$/.test(known)) ?? '<id>';
}

/** Prints the result of a check, and how to change the current model if the service does not list it. */
function noticeCheck(
  { presentation: { notices }, settings: { values, profile } }: Run,
  address: string,
  { result, models }: ServiceCheck,
): void {
  notices.notice(`${address} ${result}`);
  const { model } = values;
  const ids = models.map(({ id }) => id);
  if (ids.length === 0 || model === 'auto' || ids.includes(model)) return;
  const flag = profile.source.kind === 'flag' ? ` --profile ${profile.value}` : '';
  notices.notice(
    `${model}, the current model, is not one of them: ‹natter config set model ${modelToSet(ids)}${flag}›`,
  );
}

/** A prompt without messages, which an API refuses, or answers with a token. */
const emptyPrompt = { model: 'none', messages: [], stream: true, max_tokens: 1 };

/** How a server refuses a prompt that is no API: a web site takes no POST requests. */
const siteStatuses: ReadonlySet<number> = new Set([404, 405, 501]);

/** Whether there is an API, by its answer to a prompt. @throws Failure for a refused key */
async function hasChat(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _event of client.chat(emptyPrompt, { signal })) break;
    return true;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Failure)) return false;
    if (error.kind === 'unauthorized') throw error;
    const isUnknownModel = error.remedy?.code === 'choose-model';
    return isUnknownModel || (error.status !== undefined && !siteStatuses.has(error.status));
  }
}

/** Checks the API of a client, and whether it takes the client's key; undefined if there is no API. @throws Failure */
export async function checkApi(
  { unmetered: client }: Service,
  sendsKey: boolean,
  signal: AbortSignal,
): Promise<ServiceCheck | undefined> {
  const models = await client.listModels({ signal }).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'not_found') return undefined;
    throw error;
  });
  // Some services list their models for any key, so that only a prompt shows whether the key is right.
  const hasApi = models !== undefined && !sendsKey ? true : await hasChat(client, signal);
  if (models === undefined) {
    return hasApi ? { result: 'answered, but lists no models', models: [] } : undefined;
  }
  const shown = firstModels(models.map(({ id }) => id));
  const offer = shown === undefined ? 'it lists no models' : `it offers ${shown}`;
  return { result: `answered: ${offer}`, models };
}

/** Checks the API at one path; undefined if there is none. @throws Failure */
async function examine(run: Run): Promise<ServiceCheck | undefined> {
  const { apiKey, apiKeyCommand } = run.settings;
  const service = await openService(run, { command: 'auth' });
  const sendsKey = apiKey !== undefined || apiKeyCommand !== undefined;
  try {
    return await checkApi(service, sendsKey, run.context.signal);
  } finally {
    await service.close();
  }
}

/**
 * Checks the service, and finds out the path of its API if that is not set: with `/v1`, or as given.
 * @throws Failure `not_found` if there is no API
 */
export async function findApi(run: Run): Promise<ServiceCheck> {
  const { values } = run.settings;
  const { baseUrl = '', apiPath: known } = values;
  const other = guessesApiPath(baseUrl, known) ? '/' : usualApiPath;
  const tried: string[] = [];
  for (const apiPath of known === undefined ? [known, other] : [known]) {
    const settings = { ...run.settings, values: { ...values, apiPath } };
    const found = await examine({ ...run, settings });
    if (found !== undefined) return apiPath === known ? found : { ...found, apiPath };
    tried.push(parseBaseUrl(baseUrl, apiPath).href);
  }
  const message = `${baseUrl} is reachable, but natter found no API at ${tried.join(' or ')}`;
  throw new Failure('not_found', message, {
    hint: 'nothing was stored; correct the address, or store it unchecked: ‹natter auth login --no-check›',
  });
}

/** What helps if no server answers at an address, or one that is no API. */
const addressRemedies = /^(?:start-server|check-host|check-connection|check-base-url)$/;

/** Whether a different address may help after a check of the service. */
const mayBeWrongAddress = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.kind === 'not_found' || addressRemedies.test(error.remedy?.code ?? ''));

/** Rethrows the failure of a login; if there is no service, with the advice to log in again. */
function throwWithoutService(error: unknown): never {
  if (!(error instanceof Failure) || error.kind === 'not_found') throw error;
  if (error.kind !== 'unreachable' && !mayBeWrongAddress(error)) throw error;
  // The remedy is left out, because its advice stores the address without the key.
  const { remedy: _remedy, ...details } = detailsOf(error);
  const advice = mayBeWrongAddress(error)
    ? 'start the server, or correct the address'
    : (withHint(error).markedHint ?? 'check the network');
  const hint = `nothing was stored; ${advice}; then run the same login again`;
  throw new Failure(error.kind, error.message, { ...details, hint });
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
export const showStatus: Action<JsonOptions & { readonly check?: boolean }> = async (started) => {
  const run = withSettings(started, readSettings);
  const { context, options, presentation, settings } = run;
  const profile = settingRow('profile', settings.profile.value, settings.profile.source);
  const shown = listSettings(settings).filter(
    ({ name, value }) =>
      shownSettings.has(name) || (name === 'api-key-command' && value !== undefined),
  );
  await printSettings(run, [profile, ...shown]);
  const notices = options.json === true ? silentNotices : presentation.notices;
  const { values } = settings;
  const isChecked = options.check === true;
  if (options.json === true && !isChecked) return;
  const key = keySource(context, settings, isChecked);
  if (key !== undefined) notices.notice(key);
  for (const secret of settings.unsentSecrets) notices.notice(secret.text);
  const { replay } = chooseRecording(options, context.environment);
  if (replay !== undefined) {
    notices.notice(`answers come from the recording ${replay.file}, not from a service`);
  } else if (values.baseUrl === undefined && !isChecked) {
    notices.notice('no service is configured; connect one with ‹natter auth login›');
  }
  if (!isChecked) return;
  const answerer = replay?.file ?? (options.sandbox === true ? 'the sandbox' : values.baseUrl);
  if (answerer === undefined) {
    throw new Failure('configuration', 'no service is configured, so there is nothing to check', {
      hint: 'run ‹natter auth login›, or set NATTER_BASE_URL',
    });
  }
  const once = { ...settings, values: { ...values, retries: 0 } };
  const result = 'is reachable, but natter found no API there, so the key was not checked';
  const found = await examine({ ...run, settings: once });
  noticeCheck(run, answerer, found ?? { result, models: [] });
};

export const logout: Action<GlobalOptions> = async ({ context, options, presentation }) => {
  const { notices } = presentation;
  const stored = readStored(context, notices);
  const { environment } = context;
  const { value: profile } = chooseProfile(options.profile, environment, stored);
  if (!hasKey(stored, profile)) {
    notices.notice(`profile ${profile} has no stored key`);
  } else {
    await changeStored(context, ({ credentials }) => {
      delete credentials.profiles[profile];
    });
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
      baseUrl = parseValue(definitions.baseUrl.type, address, origin);
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

/** The base URL of the flag or environment, else the one that the user enters. @param isAgain asks in any case */
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

/** Reads the key from standard input, or asks for it; empty if the service needs none. @param isAgain discards typed text */
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
    const kept = hasKey(stored, settings.profile.value)
      ? 'the stored key is kept'
      : 'nothing was stored';
    /** A refusal of the key names the address, and what to correct. */
    const refuse = (error: unknown): never => {
      const isRefusal = error instanceof Failure && /^(?:unauthorized|forbidden)$/.test(error.kind);
      if (!isRefusal) throw error;
      throw rephrase(error, {
        message: error.message.replace(/^[^(]*(?=\(40[013]\))/, `${baseUrl} refused the key `),
        hint: `${kept}; check the key with its issuer, or correct the address: ‹natter auth login --base-url <url>›`,
      });
    };
    const checked = options.check
      ? await findApi({ ...run, settings: withKey(settings, key) }).catch(refuse)
      : { result: 'not checked', models: [] };
    return { ...checked, apiKey, baseUrl, settings };
  };
  const input = await connect(run, check).catch(throwWithoutService).finally(context.ask.end);
  const { apiKey, baseUrl, settings } = input;
  const { value: profile, source } = settings.profile;
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
  if (apiKey === undefined && hasKey(stored, profile)) {
    notices.notice('the previously stored key was deleted');
  }
  if (source.kind === 'flag' && profile !== (saved.profile ?? defaultProfile)) {
    notices.notice(`‹natter config use ${profile}› makes it the current profile`);
  }
  noticeOverrides({ ...run, settings }, { apiKey, baseUrl });
};
